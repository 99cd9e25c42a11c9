import { AIMessage, type WrapToolCallHook } from "langchain";
import type { AnsweredCall, Call, Refused } from "../../run/call.ts";
import type { Turn } from "../../run/turn.ts";
import type { stateSchema } from "./agent-state.ts";

/** A tool call, as LangChain asks for it. */
export type CallRequest = Parameters<WrapToolCallHook<typeof stateSchema>>[0];

/** A tool call that the model made. */
export interface TurnCall {
  /** With an id of its own, unlike the model's. */
  readonly step: AnsweredCall;
  /** What was decided. It may be made again: after an interrupt, or by middleware further out. */
  admitted?: Call | Refused | undefined;
}

interface Known extends TurnCall {
  task: unknown;
  id: string | undefined;
  runtime: object;
}

/**
 * The tool calls of one turn. The model's ids do not tell them apart: some models give none, or the same to several.
 */
export class TurnCalls {
  readonly turn: Turn;
  readonly #known: Known[] = [];

  constructor(turn: Turn) {
    this.turn = turn;
  }

  /** Is there a call with this id of the model's? */
  has(id: string | undefined): boolean {
    return this.#known.some((call) => call.id === id);
  }

  /** The call that a request is for. In doubt it is one that was not made before. */
  of(request: CallRequest): TurnCall {
    const { toolCall, runtime } = request;
    const { id, name, args } = toolCall;
    const task: unknown = runtime.configurable?.checkpoint_ns;
    const isAlone = hasOwnTask(request);
    const isToldByTask = isAlone || isOnlyOneWithItsId(request);
    const known = this.#known.find(
      (call) =>
        // LangChain makes a runtime for each call, and a new one after an interrupt.
        call.runtime === runtime || (isToldByTask && call.task === task && (isAlone || call.id === id)),
    );
    if (known) return known;
    const step = { id: crypto.randomUUID(), modelId: id, tool: name, args };
    const call = { step, task, id, runtime };
    this.#known.push(call);
    return call;
  }
}

/** Does the call have a task of LangGraph's for itself? With `version: "v1"`, all calls of an answer are one task. */
export function hasOwnTask({ runtime: { configurable } }: CallRequest): boolean {
  const scratchpad = configurable?.__pregel_scratchpad as { currentTaskInput?: unknown } | undefined;
  return Object(scratchpad?.currentTaskInput).lg_tool_call !== undefined;
}

/** Has no other call of the answer the same id? */
function isOnlyOneWithItsId({ toolCall: { id }, state }: CallRequest): boolean {
  const { tool_calls = [] } = state.messages.findLast(AIMessage.isInstance) ?? {};
  return Boolean(id) && tool_calls.filter((call) => call.id === id).length === 1;
}
