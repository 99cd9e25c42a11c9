import { InvalidLimit } from "../errors/InvalidLimit.ts";
import { StepLimitExceeded } from "../errors/StepLimitExceeded.ts";
import { isReached, requireCount } from "./Max.ts";

/** What happens when a run is out of steps: it ends with an error, or with an answer from what it has. */
export type OnExhausted = "raise" | "synthesize";

/** A budget of steps, with the policy for running out; by default it raises. */
export interface StepBudget {
  max: number;
  onExhausted?: OnExhausted;
}

/**
 * Counts tool calls.
 *
 * @example
 * const steps = new StepLimit(20);
 * for (const call of calls) {
 *   steps.tick(); // throws StepLimitExceeded before the 21st
 *   await execute(call);
 * }
 */
export class StepLimit {
  /** How many steps are admitted. */
  readonly max: number;
  readonly onExhausted: OnExhausted;
  #step = 0;

  constructor(budget: number | StepBudget, options: Omit<StepBudget, "max"> = {}) {
    const { max, onExhausted = "raise" } =
      typeof budget === "object" && budget ? budget : { max: budget, ...options };
    this.max = requireCount("steps.max", max, 1);
    this.onExhausted = requirePolicy(onExhausted);
  }

  /** Steps asked for so far; more than `max` once one was refused. */
  get step(): number {
    return this.#step;
  }

  /** Is this the boundary, the moment before a step the limit does not cover? */
  get reached(): boolean {
    return isReached(this.#step, this.max);
  }

  /** One more step is about to begin. Throws {@link StepLimitExceeded} if the limit does not cover it. */
  tick(): void {
    const exceeded = this.reached;
    this.#step += 1;
    if (exceeded) throw new StepLimitExceeded(this.max);
  }

  /** Starts over. */
  reset(): void {
    this.#step = 0;
  }

  toString(): string {
    const policy = this.onExhausted === "raise" ? "" : `, on_exhausted=${this.onExhausted}`;
    return `StepLimit(max=${this.max}${policy})`;
  }
}

function requirePolicy(policy: unknown): OnExhausted {
  if (policy === "raise" || policy === "synthesize") return policy;
  throw new InvalidLimit("steps.onExhausted", policy, '"raise" or "synthesize"');
}
