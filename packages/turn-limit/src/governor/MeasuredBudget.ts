import {
  boundaryOf,
  type CustomLimit,
  concerns,
  type Limit,
  leavesOf,
  nameOf,
  requireLimit,
  standingsOf,
  standsBefore,
} from "../limits/Limit.ts";
import type { Max } from "../limits/Max.ts";
import type { StepCall } from "../limits/RepeatTracker.ts";
import type { Budget, BudgetState, Overstep } from "./Budget.ts";
import type { Boundary } from "./Decision.ts";
import { type Policy, requirePolicy } from "./Policy.ts";
import { type Spent, spentSince } from "./Spent.ts";

/** A budget of something that what was spent is measured by. */
export class MeasuredBudget implements Budget {
  readonly name: string;
  readonly policy: Policy;
  readonly #limit: Limit;
  #since: Spent | null;
  #granted: Max | null;
  #exceeded: boolean;

  /** Goes on from its own among the states. */
  constructor(limit: Limit, states: Record<string, BudgetState> = {}) {
    this.#limit = requireLimit(limit);
    this.name = nameOf(limit);
    this.policy = requirePolicy(this.name, limit);
    const state = states[this.name];
    this.#since = state?.since ?? null;
    this.#granted = state?.granted ?? null;
    this.#exceeded = state?.exceeded ?? false;
  }

  get bounded(): boolean {
    return !("used" in this.#limit) || this.#limit.max !== "unlimited";
  }

  standings(spent: Spent): Boundary[] {
    return standingsOf(this.#limit, this.#measured(spent), this.#granted ?? undefined);
  }

  turnBoundary(spent: Spent, early: boolean): Boundary | undefined {
    const boundary = this.#boundary(spent, early, (limit) => standsBefore(limit) === "turn");
    return boundary ?? (this.#exceeded ? this.#boundary(spent, false) : undefined);
  }

  overstep({ tool }: StepCall, spent: Spent): Overstep | undefined {
    const asked = (limit: CustomLimit) => concerns(limit, tool);
    if (!this.leaves.some(asked)) return undefined;
    const boundary = this.#boundary(spent, false, asked);
    this.#exceeded = boundary !== undefined;
    return boundary && { boundary, final: true, policy: this.policy };
  }

  get leaves(): CustomLimit[] {
    return leavesOf(this.#limit);
  }

  isShort(spent: Spent): boolean {
    return this.#reserve > 0 && this.#boundary(spent, true) !== undefined;
  }

  restart(spent: Spent | null): void {
    this.#since = spent && { ...spent };
    this.#granted = null;
    this.#exceeded = false;
  }

  grant(max: Max): void {
    // How much more of several things is not said by one number.
    if ("used" in this.#limit || max === "unlimited") this.#granted = max;
  }

  toJSON(): BudgetState {
    return { since: this.#since, granted: this.#granted, exceeded: this.#exceeded };
  }

  #boundary(spent: Spent, early: boolean, asked?: (limit: CustomLimit) => boolean): Boundary | undefined {
    return boundaryOf(this.#limit, this.#measured(spent), {
      ...(asked && { asked }),
      granted: this.#granted ?? undefined,
      kept: early ? this.#reserve : 0,
    });
  }

  #measured(spent: Spent): Spent {
    return spentSince(this.#since, spent);
  }

  get #reserve(): number {
    if (!("used" in this.#limit)) return 0;
    const { max, reserve = 0 } = this.#limit;
    return reserve < Number(this.#granted ?? max) ? reserve : 0;
  }
}
