import type { Governor } from "../../core/governor/governor.ts";
import type { GraphNode } from "./graph-step.ts";

// What LangGraph uses where nobody has set another.
const DEFAULT_RECURSION_LIMIT = 25;
// A turn is a request and its tool calls.
const STEPS_OF_A_TURN = 2;
// One before the turns, the request that is not made or is made without tools, one at the end, and one that is not used.
const STEPS_AROUND = 4;

const REMEDY = "Give the agent the limits' own: createAgent({ … }).withConfig(limits.config).";

/** LangGraph's own limit of an invocation, in graph steps. It is fixed when the invocation begins. */
export class RecursionLimit {
  readonly #max: number;
  readonly #lastStep: number;

  constructor({ step, recursionLimit }: GraphNode) {
    this.#max = recursionLimit ?? Number.POSITIVE_INFINITY;
    // A run that takes all of its steps is ended, too.
    this.#lastStep = (step ?? 0) + this.#max - 2;
  }

  /** What a person should know before the run does its work. */
  warning({ view }: Governor): string | undefined {
    const { max } = view.standings.find(({ limit }) => limit === "turns") ?? {};
    const needed =
      STEPS_OF_A_TURN * (typeof max === "number" ? max : Number.POSITIVE_INFINITY) + STEPS_AROUND;
    // Another limit is one that somebody has chosen.
    if (this.#max !== DEFAULT_RECURSION_LIMIT || needed <= this.#max) return undefined;
    const turns = Math.floor((this.#max - STEPS_AROUND) / STEPS_OF_A_TURN);
    return `LangGraph ends a run after ${this.#max} graph steps, which is ${turns} turns or fewer, with an error. ${REMEDY}`;
  }

  /** The error with which LangGraph will end a run that cannot end before this step. */
  errorBefore(end: number): Error | undefined {
    if (end <= this.#lastStep) return undefined;
    const error = new Error(
      `LangGraph's recursion limit of ${this.#max} graph steps ends this run before one of its limits does. ${REMEDY}`,
    );
    error.name = "GraphRecursionError";
    return error;
  }
}
