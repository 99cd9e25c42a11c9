import { type Boundary, isReached, type Max } from "../limits/boundary.ts";
import type { SingleLimit } from "../limits/limit.ts";
import { CallRow, type StepCall } from "../limits/repeated-calls.ts";
import type { Activity } from "../measures/measures.ts";
import type { Meter, Reading } from "../meter/meter.ts";
import { Budget, type BudgetState, type Uncovered } from "./budget.ts";

/**
 * How often in a row the same call may have the same result. The first call that is one too many is only refused, and
 * the model is told that the result will not change. If it makes the call again in a later turn, the budget is used up.
 */
export class RepeatBudget extends Budget {
  declare limit: SingleLimit;
  #row: CallRow;
  #used: number;
  // A call was refused in this turn; the model was told so in an earlier one.
  #refused: boolean;
  #warned: boolean;

  constructor(limit: SingleLimit, meter: Meter, since: Reading, state?: BudgetState) {
    super(limit, meter, since, state);
    const { row, used = 0, refused = false, warned = false } = state?.repeats ?? {};
    this.#row = new CallRow(row);
    this.#used = used;
    this.#refused = refused;
    this.#warned = warned;
  }

  override get standings(): Boundary[] {
    return [this.#standing];
  }

  protected override usedUp({ max }: SingleLimit, granted: Max | null): boolean {
    return isReached(this.#used, granted ?? max);
  }

  override turnBoundary(activity: Activity): Boundary | undefined {
    return this.exceeded && this.isUsedUp && activity !== "retry" ? this.#standing : undefined;
  }

  override uncovered(call: StepCall): Uncovered | undefined {
    if (this.max === "unlimited") return undefined;
    const times = this.#row.times(call);
    if (!isReached(times, this.max)) return undefined;
    this.#used = times;
    this.#row.skipped(call);
    this.exceeded ||= this.#warned;
    this.#refused = true;
    return { boundary: this.#standing, isWarning: !this.exceeded };
  }

  /** The call runs, so the model does something else than what it was told about. */
  callBegan(call: StepCall): void {
    this.#refused = this.#warned = false;
    if (this.max !== "unlimited") this.#row.began(call);
  }

  /** The call has a result. */
  callEnded(id: string | undefined, result: unknown): void {
    if (this.max !== "unlimited") this.#row.ended(id, result);
  }

  turnBegan(): void {
    this.#row.turnBegins();
    this.#warned = this.#refused;
  }

  /** The last answer, and what came of it, was thrown away. */
  turnDiscarded(): void {
    this.#row.turnDiscarded();
    this.#refused = false;
  }

  override restart(since: Reading): void {
    super.restart(since);
    this.#row = new CallRow();
    this.#used = 0;
    this.#refused = this.#warned = false;
  }

  override toState(since: number): BudgetState {
    const repeats = {
      row: this.#row.toState(),
      used: this.#used,
      refused: this.#refused,
      warned: this.#warned,
    };
    return { ...super.toState(since), repeats };
  }

  get #standing(): Boundary {
    const { name, identity } = this.limit;
    return { limit: name, identity, used: this.#used, max: this.max };
  }
}
