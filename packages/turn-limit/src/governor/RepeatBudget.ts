import { type BudgetOptions, budgetOf } from "../limits/BudgetOptions.ts";
import { isReached, type Max, requireCount } from "../limits/Max.ts";
import { RepeatTracker, type StepCall } from "../limits/RepeatTracker.ts";
import type { Budget, BudgetState, Overstep } from "./Budget.ts";
import type { Boundary } from "./Decision.ts";
import { type Policy, requirePolicy } from "./Policy.ts";

/**
 * How often in a row the same call may have the same result. The first call beyond that is only refused, and the model
 * told that the result will not change; if it calls all the same in a later turn, the budget has run out.
 */
export class RepeatBudget implements Budget {
  readonly name = "repeats";
  readonly leaves = [];
  readonly policy: Policy;
  readonly #max: Max;
  readonly #tracker: RepeatTracker;
  #granted: Max | null;
  #used: number;
  #telling: boolean;
  #told: boolean;
  #exceeded: boolean;

  constructor(given: Max | BudgetOptions, state?: BudgetState) {
    const { max = "unlimited", ...policy } = budgetOf(given);
    this.#max = max === "unlimited" ? max : requireCount("repeats.max", max, 1);
    this.policy = requirePolicy(this.name, policy);
    this.#tracker = state?.repeats ? RepeatTracker.from(state.repeats) : new RepeatTracker();
    this.#granted = state?.granted ?? null;
    this.#used = state?.repeats?.used ?? 0;
    this.#telling = state?.repeats?.telling ?? false;
    this.#told = state?.repeats?.told ?? false;
    this.#exceeded = state?.exceeded ?? false;
  }

  get bounded(): boolean {
    return this.#max !== "unlimited";
  }

  standings(): Boundary[] {
    return [this.#standing];
  }

  turnBoundary(): Boundary | undefined {
    return this.#exceeded && isReached(this.#used, this.#maxInForce) ? this.#standing : undefined;
  }

  overstep(call: StepCall): Overstep | undefined {
    if (this.#maxInForce === "unlimited") return undefined;
    const times = this.#tracker.times(call);
    if (!isReached(times, this.#maxInForce)) {
      this.#telling = this.#told = false;
      // The limit may have been raised since.
      this.#exceeded &&= isReached(this.#used, this.#maxInForce);
      return undefined;
    }
    this.#used = times;
    this.#tracker.skipped(call);
    this.#exceeded ||= this.#told;
    this.#telling = true;
    return { boundary: this.#standing, final: this.#exceeded, policy: this.policy };
  }

  /** The call runs. */
  began(call: StepCall): void {
    if (this.#maxInForce !== "unlimited") this.#tracker.began(call);
  }

  /** The call has a result. */
  ended(id: string | undefined, result: unknown): void {
    if (this.#maxInForce !== "unlimited") this.#tracker.ended(id, result);
  }

  /** A turn begins: what was refused in the last one, the model knows by now. */
  turnBegins(): void {
    this.#tracker.turnOver();
    this.#told = this.#telling;
  }

  /** The last answer was thrown away: the model will not read what was refused in it. */
  turnDiscarded(): void {
    this.#telling = false;
  }

  isShort(): boolean {
    return false;
  }

  restart(): void {
    this.#tracker.restart();
    this.#granted = null;
    this.#used = 0;
    this.#telling = this.#told = this.#exceeded = false;
  }

  grant(max: Max): void {
    this.#granted = max;
  }

  toJSON(): BudgetState {
    const { recent, streaks, pending } = this.#tracker.toJSON();
    return {
      since: null,
      granted: this.#granted,
      exceeded: this.#exceeded,
      repeats: { recent, streaks, pending, used: this.#used, telling: this.#telling, told: this.#told },
    };
  }

  get #maxInForce(): Max {
    return this.#granted ?? this.#max;
  }

  get #standing(): Boundary {
    return { limit: this.name, used: this.#used, max: this.#maxInForce };
  }
}
