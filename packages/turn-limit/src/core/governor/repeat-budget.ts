import { type Boundary, isReached, type Max } from "../limits/boundary.ts";
import { fingerprint, fingerprintOf } from "../limits/fingerprint.ts";
import type { SingleLimit } from "../limits/limit.ts";
import { CallRow, type StepCall } from "../limits/repeated-calls.ts";
import { RepeatedErrors } from "../limits/repeated-errors.ts";
import { sameCall } from "../limits/same-call.ts";
import type { Activity } from "../measures/measures.ts";
import type { Meter, Reading } from "../meter/meter.ts";
import type { Loop } from "../words.ts";
import { Budget, type BudgetState, type Uncovered } from "./budget.ts";

/** What is compared of a call, if the host says. */
export type SameCall = (call: StepCall) => unknown;

/**
 * How often in a row the same call may have the same result, and a tool the same error. The first call that is one too
 * many is only refused, and the model is told that the result will not change. If it makes the call again in a later turn,
 * the budget is used up. Of a tool that fails it may make one more call, in which the error has to be another one.
 */
export class RepeatBudget extends Budget {
  declare limit: SingleLimit;
  readonly #print: (call: StepCall) => string | null;
  #row: CallRow;
  #errors: RepeatedErrors;
  #used: number;
  // A call was refused in this turn; the model was told so in an earlier one.
  #refused: boolean;
  #warned: boolean;

  constructor(
    limit: SingleLimit,
    meter: Meter,
    since: Reading,
    sameCall: () => SameCall | undefined,
    state?: BudgetState,
  ) {
    super(limit, meter, since, state);
    const { row, errors, used = 0, refused = false, warned = false } = state?.repeats ?? {};
    this.#print = (call) => printOf(call, sameCall());
    this.#row = new CallRow(this.#print, row);
    this.#errors = new RepeatedErrors(errors);
    this.#used = used;
    this.#refused = refused;
    this.#warned = warned;
  }

  override get standings(): Boundary[] {
    return [this.#standing];
  }

  /** It is a pattern, of which nothing is left or used up. */
  override get nearest(): undefined {
    return undefined;
  }

  protected override usedUp({ max }: SingleLimit, granted: Max | null): boolean {
    return isReached(this.#used, granted ?? max);
  }

  override turnBoundary(activity: Activity): Boundary | undefined {
    return this.exceeded && this.isUsedUp && activity !== "retry" ? this.#standing : undefined;
  }

  override uncovered(call: StepCall): Uncovered | undefined {
    if (this.max === "unlimited") return undefined;
    const loop = this.#loopOf(call);
    if (!loop) return undefined;
    if (loop.kind === "call") this.#row.skipped(call);
    return { boundary: this.#standing, warning: this.exceeded ? undefined : loop };
  }

  /** A call was made without being asked about, and has its result: the loop that the model has to be told of. */
  observed(call: StepCall, result: unknown): Loop | undefined {
    if (this.max === "unlimited") return undefined;
    const { id, tool } = call;
    this.#row.began(call);
    this.#row.ended(id, result);
    this.#errors.began(id, tool);
    this.#errors.ended(id, result);
    const loop = this.#loopOf(call);
    if (!loop) this.#refused = this.#warned = false;
    return this.exceeded ? undefined : loop;
  }

  // The loop that the call goes on with. The model is told of it; if it was told of it before, the budget is used up.
  #loopOf(call: StepCall): Loop | undefined {
    return this.#sameAgain(call) ?? this.#sameError(call);
  }

  #sameAgain(call: StepCall): Loop | undefined {
    const { times, cycle } = this.#row.times(call);
    if (!isReached(times, this.max)) return undefined;
    this.#used = times;
    this.exceeded ||= this.#warned;
    this.#refused = true;
    // Told of this, the model knows of its errors, too.
    if (call.tool !== undefined) this.#errors.refused(call.tool);
    return { kind: "call", times, cycle };
  }

  #sameError({ tool }: StepCall): Loop | undefined {
    const { times, wasTold } = this.#errors.times(tool);
    // One error is no loop.
    if (tool === undefined || times < 2 || !isReached(times, this.max)) return undefined;
    this.#used = times;
    this.#errors.refused(tool);
    this.exceeded ||= wasTold;
    return { kind: "error", times, tool };
  }

  /** The call runs, so the model does something else than what it was told about. */
  callBegan(call: StepCall): void {
    this.#refused = this.#warned = false;
    if (this.max === "unlimited") return;
    this.#row.began(call);
    this.#errors.began(call.id, call.tool);
  }

  /** The call has a result. `failed`: the host says that it is an error. */
  callEnded(id: string | undefined, result: unknown, failed: boolean): void {
    if (this.max === "unlimited") return;
    this.#row.ended(id, result);
    this.#errors.ended(id, result, failed);
  }

  turnBegan(): void {
    this.#row.turnBegins();
    this.#errors.turnBegins();
    this.#warned = this.#refused;
  }

  /** The last answer, and what came of it, was thrown away. */
  turnDiscarded(): void {
    this.#row.turnDiscarded();
    this.#errors.turnDiscarded();
    this.#refused = false;
  }

  override restart(since: Reading): void {
    super.restart(since);
    this.#row = new CallRow(this.#print);
    this.#errors = new RepeatedErrors();
    this.#used = 0;
    this.#refused = this.#warned = false;
  }

  override toState(since: number): BudgetState {
    const repeats = {
      row: this.#row.toState(),
      errors: this.#errors.toState(),
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

/** Tells calls apart; `null`: it cannot. A function of the host's that throws, or returns what cannot be compared, says nothing. */
function printOf(call: StepCall, hosts: SameCall | undefined): string | null {
  if (call.tool === undefined) return null;
  let compared: unknown;
  try {
    // Field by field: the arguments may be a getter, which parses them only when they are compared.
    compared = hosts?.({ id: call.id, tool: call.tool, args: call.args });
  } catch {}
  const own = compared == null ? undefined : fingerprint(compared);
  return own ?? fingerprintOf(() => sameCall(call)) ?? null;
}
