import type { BaseMessage } from "@langchain/core/messages";
import type { Runtime } from "langchain";
import { z } from "zod/v4";
import { object } from "zod/v4/mini";
import { isPlainObject } from "../../core/checks.ts";
import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import type { Outcome } from "../../core/governor/outcome.ts";
import type { GovernorState } from "../../core/governor/state.ts";

/**
 * What the limits add to the state of an agent. Without what Zod compiles for a schema: LangChain makes another one of
 * it for every turn.
 */
export const stateSchema = object({
  turnLimitOutcome: z.any().optional() as z.ZodOptional<z.ZodType<Outcome>>,
  /** Which run it is, and what it has left, for an invocation that resumes it. */
  _turnLimitRun: z.any().optional() as z.ZodOptional<z.ZodType<SavedRun>>,
});

/** The state as the hooks see it. */
export interface AgentState extends z.infer<typeof stateSchema> {
  messages: BaseMessage[];
}

/** What the saved state of a thread has of a run that is not over. */
export interface SavedRun {
  /** Tells it from every other run. */
  key: string;
  /** What is left of its limits. */
  left: GovernorState;
}

/** What LangGraph has not declared: a node can write to a channel by itself. It counts once the node is done. */
type Send = (writes: [channel: string, value: unknown][]) => void;

/** Saves a run with what the current node writes. A node that makes its request again writes only once. */
export class SaveWithNode {
  #node: { task: unknown; written: SavedRun } | undefined;

  save({ configurable }: Runtime, run: SavedRun): void {
    const task: unknown = configurable?.checkpoint_ns;
    if (this.#node && this.#node.task === task) {
      Object.assign(this.#node.written, run);
      return;
    }
    const send = configurable?.__pregel_send as Send | undefined;
    this.#node = { task, written: run };
    send?.([["_turnLimitRun", run]]);
  }
}

/** Checks what was found in the saved state of a thread. What is left is checked by whoever goes on with it. */
export function requireSaved(saved: unknown): SavedRun {
  if (isPlainObject(saved) && typeof saved.key === "string" && isPlainObject(saved.left))
    return saved as unknown as SavedRun;
  throw new InvalidLimit("the run in the saved state of the thread", saved, "what the limits saved there");
}
