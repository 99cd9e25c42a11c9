import { count, object, oneOf, optional } from "../checks.ts";
import { StepLimitExceeded } from "../errors/limit-exceeded.ts";
import { isReached } from "../limits/boundary.ts";

/** A budget of steps, with the policy for running out; by default it raises. */
export interface StepBudget {
  max: number;
  onExhausted?: "raise" | "synthesize" | undefined;
}

const requireBudget = object({
  max: count(1),
  onExhausted: optional(oneOf("raise", "synthesize"), "raise"),
});

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
  readonly onExhausted: "raise" | "synthesize";
  #step = 0;

  constructor(budget: number | StepBudget, options: Omit<StepBudget, "max"> = {}) {
    const given = typeof budget === "object" && budget ? budget : { ...options, max: budget };
    const { max, onExhausted } = requireBudget(given, "steps");
    this.max = max;
    this.onExhausted = onExhausted;
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
