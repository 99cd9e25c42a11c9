/**
 * For LangChain: a middleware for `createAgent`.
 *
 * @module
 */
import { type AgentMiddleware, AIMessage, createMiddleware } from "langchain";
import type { Outcome } from "../governor/Outcome.ts";
import { AgentRuns } from "./langchain/AgentRuns.ts";
import { answerOf, told } from "./langchain/answerOf.ts";
import { stateSchema } from "./langchain/stateSchema.ts";
import { executed, pendingCalls, refused } from "./langchain/toolCalls.ts";
import type { AdapterOptions } from "./shared/AdapterOptions.ts";
import { GovernedRuns } from "./shared/GovernedRuns.ts";

export type { AdapterOptions } from "./shared/AdapterOptions.ts";

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
 * A run whose request is cut off when the time is up ends with a message that says it was stopped. The error of a tool is
 * told to the model, also where LangChain would let it end the run because other middleware is around the calls.
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
  new GovernedRuns(options); // A value that no limit can have is refused here, and not at the first run.
  let last: Outcome | undefined;
  const onOutcome = (outcome: Outcome) => {
    last = outcome;
    options.onOutcome?.(outcome);
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
          return admitted.kind === "proceed" ? undefined : { messages: told(admitted) };
        }),
    },
    wrapModelCall: (request, handler) =>
      runs.within(request.runtime, async (run) => (await answerOf(run, request, handler)) ?? stopped()),
    afterModel: {
      canJumpTo: ["tools"],
      hook: ({ messages }, runtime) =>
        runs.within(runtime, (run) => {
          const calls = pendingCalls(messages);
          const refusals = calls.flatMap((call) => refused(run, call));
          if (refusals.length === 0) return undefined;
          // With no call left to run LangChain would end the run here; by way of the tool node it goes on.
          return {
            messages: refusals,
            ...(refusals.length === calls.length && { jumpTo: "tools" as const }),
          };
        }),
    },
    wrapToolCall: (request, handler) =>
      runs.within(request.runtime, (run) => executed(run, request, handler)),
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

function stopped(): AIMessage {
  return new AIMessage("Stopped: a limit of this run is reached.");
}
