/**
 * For LangChain: a middleware for `createAgent`.
 *
 * @module
 */
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { type AgentMiddleware, type AIMessage, createMiddleware, type WrapToolCallHook } from "langchain";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { requireVersion } from "../shared/framework-version.ts";
import { AgentRuns } from "./agent-runs.ts";
import { stateSchema } from "./agent-state.ts";
import { WithItsErrors } from "./errors.ts";
import { callModel, endLoop, handedOn, messageOf, withoutStopped } from "./model-call.ts";
import { callTool, ToolCallHook } from "./tool-call.ts";

export type { AdapterOptions } from "../../run/options.ts";
export type { RunInfo } from "../../run/run-info.ts";

/** A middleware that keeps an agent within its limits. */
export interface TurnLimitMiddleware extends AgentMiddleware<typeof stateSchema, undefined, unknown> {
  /**
   * For the agent's `withConfig`: LangGraph's recursion limit, which counts graph steps, must not come first, and the limits
   * are told of every end of the agent.
   */
  readonly config: { readonly recursionLimit: number; readonly callbacks: BaseCallbackHandler[] };
  /** How the last run ended, also when it threw. With several runs at once, read each from its own result. */
  readonly outcome: Outcome | undefined;
  /**
   * How the run ended whose final state this is: what `invoke` returns, or the last of the states that a stream gives.
   * `undefined` if the run is only interrupted, or it is the state of another agent.
   */
  outcomeOf(state: unknown): Outcome | undefined;
}

/**
 * Makes the limits of an agent. Put them first in the list: then calls that other middleware answers are not counted.
 * Each invocation with messages is a run with a budget of its own, and `turnLimitOutcome` of its result says how it
 * ended; runs can overlap, also within one outer graph. An agent that a tool runs under the same limits draws on the budget of that run. A run that is
 * interrupted goes on with its budget when it is resumed, also in another process: what is left is saved with the thread.
 *
 * A limit that raises makes `invoke` or the stream reject with `LimitExceeded`, or with `StepLimitExceeded` for steps.
 *
 * LangGraph ends a run after 25 graph steps, two for each turn, unless the agent is given `limits.config`.
 *
 * A request that middleware after the limits, or LangChain's client, makes again is the same turn; it counts for `requests`
 * where that is limited. Put the limits after the middleware, and one that follows an answer is a turn of its own.
 *
 * If other middleware ends a run in its `beforeModel`, LangChain lets no other hook know: `turnLimitOutcome` is missing
 * then, and `outcomeOf` tells. With `limits.config` the run has ended by then, and a limit that raises has done so.
 *
 * @example
 * const limits = turnLimitMiddleware({ turns: 25, steps: 40 });
 * const agent = createAgent({ model, tools, middleware: [limits] }).withConfig(limits.config);
 * const result = await agent.invoke({ messages: [new HumanMessage("Find everything.")] });
 * console.log(limits.outcomeOf(result)?.kind);
 */
export function turnLimitMiddleware(options: AdapterOptions = {}): TurnLimitMiddleware {
  requireVersion("turn-limit/langchain", "langchain");
  const runs = new AgentRuns(options);

  const toolCalls = new ToolCallHook((request, handler) =>
    runs.within(request.state, request.runtime, (_run, loop) => {
      runs.ends.leaveNode();
      return callTool(loop, request, handler);
    }),
  );

  const middleware = createMiddleware({
    name: "TurnLimitMiddleware",
    stateSchema,
    beforeAgent(state, runtime) {
      const run = runs.begin(state, runtime);
      const _turnLimitRun = run.isResumable ? run.saved : undefined;
      if (run.loopOf(runtime).hosted.isNested) return { _turnLimitRun };
      // A run that threw could not remove its message.
      return { turnLimitOutcome: undefined, _turnLimitRun, messages: withoutStopped(state.messages) };
    },
    wrapModelCall: (request, handler) =>
      WithItsErrors.of(
        runs.within(request.state, request.runtime, async (run, loop) => {
          loop.graph.raisesToolErrors ??= await toolCalls.isOneOfSeveral(request, handler);
          const answer = await callModel(loop, request, handler);
          await run.save(request.runtime);
          if (!answer) return endLoop(loop, request.state.messages) as AIMessage;
          runs.produced(run, messageOf(answer));
          return handedOn(answer);
        }),
      ),
    afterAgent: (state, runtime) =>
      runs.within(state, runtime, async (run, loop) => {
        if (!loop.isDone()) return undefined;
        const turnLimitOutcome = await run.finish(runtime);
        return { turnLimitOutcome, _turnLimitRun: undefined, messages: withoutStopped(state.messages) };
      }),
  });

  return {
    ...middleware,
    get wrapToolCall() {
      return toolCalls.hook as WrapToolCallHook<typeof stateSchema>;
    },
    config: { recursionLimit: 2 ** 31 - 1, callbacks: [runs.ends] },
    get outcome() {
      return runs.outcome;
    },
    outcomeOf: (state) => (typeof state === "object" && state !== null ? runs.outcomeOf(state) : undefined),
  };
}
