/**
 * For LangChain: a middleware for `createAgent`.
 *
 * @module
 */
import {
  type AgentMiddleware,
  AIMessage,
  type BaseMessage,
  createMiddleware,
  HumanMessage,
  ToolMessage,
} from "langchain";
import { z } from "zod";
import type { Outcome } from "../governor/Outcome.ts";
import type { Admitted } from "./langchain/AgentRun.ts";
import { AgentRuns } from "./langchain/AgentRuns.ts";
import { usageOf } from "./langchain/usageOf.ts";
import type { AdapterOptions } from "./shared/AdapterOptions.ts";
import { GovernedRuns } from "./shared/GovernedRuns.ts";

export type { AdapterOptions } from "./shared/AdapterOptions.ts";

const stateSchema = z.object({ turnLimitOutcome: z.any().optional() as z.ZodOptional<z.ZodType<Outcome>> });

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
      hook: async (_state, runtime) => {
        const run = runs.of(runtime);
        const admitted = await run.admit(runtime);
        if (!admitted) return { turnLimitOutcome: run.finish(runtime), messages: [], jumpTo: "end" };
        run.keep(runtime, admitted);
        return admitted.kind === "proceed" ? undefined : { messages: told(admitted) };
      },
    },
    wrapModelCall: async (request, handler) => {
      const { runtime } = request;
      const run = runs.of(runtime);
      const kept = run.take(runtime);
      // A jump to the model by other middleware, or a retry for structured output, comes past `beforeModel`.
      const admitted = kept ?? (await run.admit(runtime));
      if (!admitted) return new AIMessage("Stopped: a limit of this run is reached.");
      const messages = kept ? request.messages : [...request.messages, ...told(admitted)];
      try {
        const answer = await handler({
          ...(admitted.kind === "synthesize" ? withoutTools(request) : request),
          messages,
        });
        run.turnEnded(usageOf(answer));
        return answer;
      } catch (error) {
        if (isInterrupt(error)) run.keep(runtime, admitted);
        else run.fail(runtime, admitted, isAbort(error) ? "aborted" : "failed");
        throw error;
      }
    },
    afterModel: {
      canJumpTo: ["tools"],
      hook: ({ messages }, runtime) => {
        const run = runs.of(runtime);
        const calls = pendingCalls(messages);
        const refused = calls.flatMap(({ id = "", name }) => {
          const content = run.refusal();
          return content === undefined
            ? []
            : new ToolMessage({ content, tool_call_id: id, name, status: "error" });
        });
        if (refused.length === 0) return undefined;
        // With no call left to run LangChain would end the run here; by way of the tool node it goes on.
        return { messages: refused, ...(refused.length === calls.length && { jumpTo: "tools" as const }) };
      },
    },
    afterAgent: (_state, runtime) => ({ turnLimitOutcome: runs.of(runtime).finish(runtime), messages: [] }),
  });

  return {
    ...middleware,
    config: { recursionLimit: 2 ** 31 - 1 },
    get outcome() {
      return last;
    },
  };
}

function withoutTools<R extends { toolChoice?: unknown; tools: unknown[] }>({
  toolChoice: _,
  ...request
}: R) {
  return { ...request, tools: [] };
}

function told(admitted: Admitted): HumanMessage[] {
  return admitted.kind === "proceed" ? [] : [new HumanMessage(admitted.message)];
}

/** The calls of the last answer that have no result yet, in the model's order. */
function pendingCalls(messages: BaseMessage[]) {
  const at = messages.findLastIndex(AIMessage.isInstance);
  const answer = messages[at];
  if (!AIMessage.isInstance(answer)) return [];
  const answered = new Set(
    messages.slice(at).map((message) => ToolMessage.isInstance(message) && message.tool_call_id),
  );
  return (answer.tool_calls ?? []).filter(({ id }) => id === undefined || !answered.has(id));
}

/** Does the run only pause here, to be resumed? */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && "is_bubble_up" in error;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
