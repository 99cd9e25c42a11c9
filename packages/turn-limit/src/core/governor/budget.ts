import { type Boundary, type Extended, isReached, type Max, type Waits } from "../limits/boundary.ts";
import { type CheckedLimit, isGroup, isUnlimited, type SingleLimit, singlesOf } from "../limits/limit.ts";
import { type Bounded, boundaryOf, nearestOf, standingsOf } from "../limits/limit-standing.ts";
import type { Decide } from "../limits/policy.ts";
import type { CallRowState, StepCall } from "../limits/repeated-calls.ts";
import type { RepeatedErrorsState } from "../limits/repeated-errors.ts";
import { isSame, maximaOf } from "../limits/same-limit.ts";
import { concerns, isBeforeTurn, isExempt, standsBeforeCalls } from "../limits/stands-before.ts";
import type { Activity } from "../measures/measures.ts";
import type { Meter, Reading } from "../meter/meter.ts";
import { exact } from "../meter/usage.ts";
import type { Loop } from "../words.ts";

/** A tool call that a budget does not cover. */
export interface Uncovered {
  boundary: Boundary;
  /** The call is only refused, so that the model can think again: it is told of its loop. */
  warning?: Loop | undefined;
}

/** What other settings of a limit come to. Nothing has changed before they are applied. */
export interface Change {
  readonly kind: "none" | "changed" | "restarted";
  apply(): void;
}

/** Everything a {@link Budget} knows besides its limit, as plain data. */
export interface BudgetState {
  name: string;
  /** The reading of the meter when its round began. */
  since: number;
  granted: Max | null;
  exceeded: boolean;
  /** Since a person prompted or allowed more. */
  extended: Extended | null;
  /** Was it found that this round got nowhere? */
  stalled: boolean;
  /** Of the budget for repeated calls. */
  repeats?: {
    row: CallRowState;
    errors: RepeatedErrorsState;
    used: number;
    refused: boolean;
    warned: boolean;
  };
}

/** A limit in use: where on the meter its round began, and what a person granted. */
export class Budget {
  limit: CheckedLimit;
  #isGroup: boolean;
  /** Can it hold a turn only after it refused a call? */
  #standsBeforeCalls: boolean;
  since: Reading;
  protected readonly now: Reading;
  #granted: Max | null;
  /** A tool call was refused, so the next turn is at the boundary, too. */
  protected exceeded: boolean;
  #extended: Extended | null;
  #stalled: boolean;

  constructor(limit: CheckedLimit, meter: Pick<Meter, "current">, since: Reading, state?: BudgetState) {
    this.limit = limit;
    this.#isGroup = isGroup(limit);
    this.#standsBeforeCalls = standsBeforeCalls(limit);
    this.since = since;
    this.now = meter.current;
    this.#granted = state?.granted ?? null;
    this.exceeded = state?.exceeded ?? false;
    this.#extended = state?.extended ?? null;
    this.#stalled = state?.stalled ?? false;
    this.#read(limit);
  }

  get name(): string {
    return this.limit.name;
  }

  /** What this round admits. For a group that is not one number. */
  get max(): Max {
    return this.#granted ?? (this.#isGroup ? "unlimited" : (this.limit as SingleLimit).max);
  }

  /** What a yes admits. `undefined`: not one number, since it is a group, or open or closed. */
  get round(): Max | undefined {
    return this.#isGroup ? undefined : (this.limit as SingleLimit).max;
  }

  /** Each of its limits, with its usage. */
  get standings(): Boundary[] {
    const standings = standingsOf(this.limit, this.since, this.now, this.#granted);
    return this.#extended ? standings.map((standing) => this.#withExtension(standing)) : standings;
  }

  /** May another round be granted without a question, if this one got somewhere? */
  get mayExtend(): boolean {
    const { extend = 0 } = this.limit;
    return extend > (this.#extended?.times ?? 0) && !this.#stalled;
  }

  /** Where it stands, if that is what the model can be told: of a group the limit that decides. */
  get nearest(): Bounded | undefined {
    return nearestOf(this.limit, this.since, this.now, this.#granted);
  }

  /** The boundary, if the next turn is not covered. The reserve is for the answer without tools. */
  turnBoundary(activity: Activity, decide?: Decide): Boundary | undefined {
    if (this.#standsBeforeCalls && !this.exceeded) return undefined;
    const boundary = this.#isGroup
      ? (this.#boundary(isBeforeTurn) ?? (this.exceeded ? this.#boundary() : undefined))
      : this.#boundaryOfTurn(activity, decide);
    return boundary && this.#extended ? this.#withExtension(boundary) : boundary;
  }

  /**
   * The boundary of a cost limit that cannot hold the run, because a price is not known and no token limit takes over.
   */
  unpricedBoundary(hasTokenLimit: boolean): Boundary | undefined {
    if (!this.holds("cost")) return undefined;
    const cost = singlesOf(this.limit).find(({ unpriced }) => unpriced !== undefined);
    const mustHold = cost?.unpriced === "stop" || (cost?.unpriced === "tokens" && !hasTokenLimit);
    const standing = mustHold && this.standings.find(({ limit }) => limit === cost.name);
    return standing ? { ...standing, unpriced: true } : undefined;
  }

  /** Does it hold a run to an amount of this? */
  holds(kind: "tokens" | "cost"): boolean {
    return singlesOf(this.limit).some(
      ({ identity, max, shared }) => identity.kind === kind && (shared ? this.max : max) !== "unlimited",
    );
  }

  /** The boundary, if the tool call is not covered. */
  uncovered({ tool }: StepCall): Uncovered | undefined {
    const boundary = this.#isGroup
      ? this.#boundary((single) => concerns(single, tool))
      : this.#boundaryOfCall(this.limit as SingleLimit, tool);
    if (!boundary) return undefined;
    this.exceeded = true;
    return { boundary };
  }

  /** What is known of when it starts over by itself. */
  get waits(): Waits {
    return {};
  }

  /** Is there nothing left of it? */
  get isUsedUp(): boolean {
    return this.usedUp(this.limit, this.#granted);
  }

  /** Is there nothing left with these settings, and with what a person granted? */
  protected usedUp(limit: CheckedLimit, granted: Max | null): boolean {
    return boundaryOf(limit, this.since, this.now, undefined, granted) !== undefined;
  }

  /** Is it only open or closed, and open now? Then it holds nothing, and nothing of it is shown. */
  get isOpenGate(): boolean {
    return false;
  }

  /** Is only the reserve for the final answer left? */
  get isShort(): boolean {
    return this.#shortage !== undefined;
  }

  /** A new round begins at the reading. */
  restart(since: Reading): void {
    this.since = since;
    this.#granted = null;
    this.exceeded = false;
    this.#extended = null;
    this.#stalled = false;
  }

  /** This round got somewhere, so that another one begins at the reading, without a question. */
  extendRound(since: Reading, what: string | undefined): void {
    const times = (this.#extended?.times ?? 0) + 1;
    const { extendBy = 0 } = this.limit;
    this.restart(since);
    this.#extended = { times, ...(what !== undefined && { what }) };
    if (extendBy > 0) this.grant(extendBy);
  }

  /** This round got nowhere: its policy says what happens. */
  stall(): void {
    this.#stalled = true;
  }

  /** As {@link restart}, for an answer that is allowed although nothing is left. */
  startOver(since: Reading): void {
    this.restart(since);
  }

  /** A person allows this much in the new round. A number means nothing for a group, which has several. */
  grant(max: Max): void {
    if (!isGroup(this.limit) || max === "unlimited") this.#granted = max;
  }

  /** A person allows this much more in the round that is under way, beyond what is used. */
  extend(by: Max): void {
    const { max } = this;
    const used = this.standings[0]?.used ?? 0;
    this.grant(by === "unlimited" || max === "unlimited" ? "unlimited" : exact(Math.max(max, used) + by));
    this.exceeded = false;
    // Whether the round got somewhere is found out again where it ends now.
    this.#stalled = false;
  }

  /**
   * What other settings come to, and what makes them hold. The counter keeps its value; only a limit that was off starts
   * over. Throws if the limit cannot tell its usage: then nothing is changed.
   */
  change(limit: CheckedLimit, now: Reading): Change {
    this.#read(limit);
    const before = this.limit;
    const starts = isUnlimited(before) && !isUnlimited(limit);
    const isChanged = !isSame(before, limit);
    const granted = maximaOf(before) === maximaOf(limit) ? this.#granted : null;
    const exceeded = this.exceeded && !(isChanged && !starts && !this.usedUp(limit, granted));
    const stalled = this.#stalled && !isChanged;
    const apply = () => {
      this.limit = limit;
      this.#isGroup = isGroup(limit);
      this.#standsBeforeCalls = standsBeforeCalls(limit);
      this.#granted = granted;
      this.exceeded = exceeded;
      this.#stalled = stalled;
      if (starts) this.restart(now);
    };
    return { kind: starts ? "restarted" : isChanged ? "changed" : "none", apply };
  }

  toState(since: number): BudgetState {
    const { name, exceeded } = this;
    return {
      name,
      since,
      granted: this.#granted,
      exceeded,
      extended: this.#extended,
      stalled: this.#stalled,
    };
  }

  #withExtension(boundary: Boundary): Boundary {
    return this.#extended ? { ...boundary, extended: { ...this.#extended } } : boundary;
  }

  // Finds out what the limit needs to be told, and throws if it cannot tell its usage.
  #read(limit: CheckedLimit): void {
    standingsOf(limit, this.since, this.now, null);
  }

  #boundaryOfTurn(activity: Activity, decide: Decide | undefined): Boundary | undefined {
    const limit = this.limit as SingleLimit;
    if (isExempt(limit, activity)) return undefined;
    const { before, reserve } = limit;
    const shortage = reserve && decide?.(limit) === "synthesize" ? this.#shortage : undefined;
    if (shortage) return shortage;
    if (before === "step" && !this.exceeded) return undefined;
    const used = limit.usedBetween(this.since, this.now);
    const max = this.#granted ?? limit.max;
    return isReached(used, max) ? boundaryAt(limit, used, max) : undefined;
  }

  #boundaryOfCall(limit: SingleLimit, tool: string | undefined): Boundary | undefined {
    if (!concerns(limit, tool)) return undefined;
    const used = limit.usedBetween(this.since, this.now);
    const max = this.#granted ?? limit.max;
    return isReached(used, max) ? boundaryAt(limit, used, max) : undefined;
  }

  #boundary(applies?: (limit: SingleLimit) => boolean): Boundary | undefined {
    const { limit, since, now } = this;
    return boundaryOf(limit, since, now, applies, this.#granted);
  }

  // Where it stands if only the reserve is left. A reserve as large as the limit, or larger, is none.
  get #shortage(): Boundary | undefined {
    const { limit, max } = this;
    if (isGroup(limit) || !limit.reserve || isReached(limit.reserve, max)) return undefined;
    const used = limit.usedBetween(this.since, this.now);
    return isReached(exact(used + limit.reserve), max) ? boundaryAt(limit, used, max) : undefined;
  }
}

function boundaryAt({ name, identity }: SingleLimit, used: number, max: Max): Boundary {
  return { limit: name, identity, used, max };
}
