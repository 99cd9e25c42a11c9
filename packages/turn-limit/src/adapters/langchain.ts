/**
 * For LangChain: a middleware for `createAgent`.
 *
 * @module
 */
import { type AgentMiddleware, AIMessage, createMiddleware } from "langchain";
import type { AdapterOptions } from "../driver/adapter-options.ts";
import { Driver } from "../driver/driver.ts";
import type { RunInfo } from "../driver/run-info.ts";
import type { Outcome } from "../governor/outcome.ts";
import { stateSchema } from "./langchain/agent-run.ts";
import { AgentRuns } from "./langchain/agent-runs.ts";
import { callModel, messagesOf } from "./langchain/model-call.ts";
import { executeCall, pendingCalls, refusalOf } from "./langchain/tool-calls.ts";

export type { AdapterOptions } from "../driver/adapter-options.ts";

/** A middleware that keeps an agent within its limits. */
export interface TurnLimitMiddleware extends AgentMiddleware<typeof stateSchema, undefined, unknown> {
  /** For the agent's `withConfig`: LangGraph's recursion limit, which counts graph steps, must not come first. */
  readonly config: { readonly recursionLimit: number };
  /** How the last run ended, also when it threw. With several runs at once, read each from its own result. */
  readonly outcome: Outcome | undefined;
}

/**
 * Makes the limits of an agent. Put them first in the list: then calls that other middleware answers are not counted.
 * Each invocation with messages is a run with a budget of its own, and `turnLimitOutcome` of its result says how it
 * ended; runs can overlap. An agent that a tool runs under the same limits draws on the budget of that run.
 *
 * A limit that raises makes `invoke` or the stream reject with `LimitExceeded`, or with `StepLimitExceeded` for steps. A run
 * whose request is cut off when the time is up ends with a message that says it was stopped, unless the limit raises.
 *
 * The model gets the error of a tool, also where LangChain would let it end the run because other middleware wraps the
 * calls.
 *
 * LangGraph ends a run after 25 graph steps, which is 6 turns, unless the agent is given `limits.config`, or a
 * `recursionLimit` of 4 for each turn and some more.
 *
 * @example
 * const limits = turnLimitMiddleware({ turns: 25, steps: 40 });
 * const agent = createAgent({ model, tools, middleware: [limits] }).withConfig(limits.config);
 * const { messages, turnLimitOutcome } = await agent.invoke({ messages: [new HumanMessage("Find everything.")] });
 */
export function turnLimitMiddleware(options: AdapterOptions = {}): TurnLimitMiddleware {
  new Driver(options); // Refuses bad options here, and not in the first run.
  let last: Outcome | undefined;
  const onOutcome = (outcome: Outcome, run: RunInfo) => {
    last = outcome;
    options.onOutcome?.(outcome, run);
  };
  const runs = new AgentRuns({ ...options, onOutcome });

  const middleware = createMiddleware({
    name: "TurnLimitMiddleware",
    stateSchema,
    beforeAgent: (_state, runtime) => {
      if (!runs.begin(runtime)) return undefined;
      last = undefined;
      return { turnLimitOutcome: undefined, messages: [] };
    },
    beforeModel: {
      canJumpTo: ["end"],
      hook: (_state, runtime) =>
        runs.within(runtime, async (run) => {
          const admitted = await run.admit(runtime);
          if (!admitted)
            return { turnLimitOutcome: run.finish(runtime), messages: [], jumpTo: "end" as const };
          run.keep(runtime, admitted);
          return admitted.kind === "proceed" ? undefined : { messages: messagesOf(admitted) };
        }),
    },
    wrapModelCall: (request, handler) =>
      runs.within(
        request.runtime,
        async (run) => (await callModel(run, request, handler)) ?? stoppedMessage(),
      ),
    afterModel: {
      canJumpTo: ["tools"],
      hook: ({ messages }, runtime) =>
        runs.within(runtime, (run) => {
          const calls = pendingCalls(messages);
          const refusals = calls.flatMap((call) => refusalOf(run, call));
          if (refusals.length === 0) return undefined;
          // With no call left to run LangChain would end the run here; by way of the tool node it goes on.
          return {
            messages: refusals,
            ...(refusals.length === calls.length && { jumpTo: "tools" as const }),
          };
        }),
    },
    wrapToolCall: (request, handler) =>
      runs.within(request.runtime, (run) => executeCall(run, request, handler)),
    afterAgent: (_state, runtime) =>
      runs.within(runtime, (run) => ({ turnLimitOutcome: run.finish(runtime), messages: [] })),
  });

  return {
    ...middleware,
    config: { recursionLimit: 2 ** 31 - 1 },
    get outcome() {
      return last;
    },
  };
}

function stoppedMessage(): AIMessage {
  return new AIMessage("Stopped: a limit of this run is reached.");
}
