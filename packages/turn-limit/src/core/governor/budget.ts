import { type Boundary, isReached, type Max } from "../limits/boundary.ts";
import {
  boundaryOf,
  type CheckedLimit,
  isGroup,
  isUnlimited,
  membersOf,
  type SingleLimit,
  singlesOf,
  standingsOf,
} from "../limits/limit.ts";
import type { Decide } from "../limits/policy.ts";
import type { CallRowState, StepCall } from "../limits/repeated-calls.ts";
import { type Activity, countedFor } from "../measures/measures.ts";
import type { Meter, Reading } from "../meter/meter.ts";
import { exact } from "../meter/usage.ts";

/** A tool call that a budget does not cover. */
export interface Uncovered {
  boundary: Boundary;
  /** Is the call only refused, so that the model can think again? */
  isWarning?: boolean;
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
  /** Of the budget for repeated calls. */
  repeats?: { row: CallRowState; used: number; refused: boolean; warned: boolean };
}

/** A limit in use: where on the meter its round began, and what a person granted. */
export class Budget {
  limit: CheckedLimit;
  #isGroup: boolean;
  since: Reading;
  protected readonly now: Reading;
  #granted: Max | null;
  /** A tool call was refused, so the next turn is at the boundary, too. */
  protected exceeded: boolean;

  constructor(limit: CheckedLimit, meter: Pick<Meter, "current">, since: Reading, state?: BudgetState) {
    this.limit = limit;
    this.#isGroup = isGroup(limit);
    this.since = since;
    this.now = meter.current;
    this.#granted = state?.granted ?? null;
    this.exceeded = state?.exceeded ?? false;
    this.#read(limit);
  }

  get name(): string {
    return this.limit.name;
  }

  /** What this round admits. For a group that is not one number. */
  get max(): Max {
    return this.#granted ?? (this.#isGroup ? "unlimited" : (this.limit as SingleLimit).max);
  }

  /** Each of its limits, with its usage. */
  get standings(): Boundary[] {
    return standingsOf(this.limit, this.since, this.now, this.#granted);
  }

  /** The boundary, if the next turn is not covered. The reserve is for the answer without tools. */
  turnBoundary(activity: Activity, decide?: Decide): Boundary | undefined {
    if (this.#isGroup) return this.#boundary(isBeforeTurn) ?? (this.exceeded ? this.#boundary() : undefined);
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

  /**
   * The boundary of a cost limit that cannot hold the run, because a price is not known and no token limit takes over.
   */
  unpricedBoundary(hasTokenLimit: boolean): Boundary | undefined {
    const cost = singlesOf(this.limit).find(({ unpriced }) => unpriced !== undefined);
    const mustHold = cost?.unpriced === "stop" || (cost?.unpriced === "tokens" && !hasTokenLimit);
    const standing = mustHold && this.standings.find(({ limit }) => limit === cost.name);
    return standing ? { ...standing, unpriced: true } : undefined;
  }

  /** Does it hold a run to a number of tokens? */
  get limitsTokens(): boolean {
    return singlesOf(this.limit).some(
      ({ identity, max, shared }) => identity.kind === "tokens" && (shared ? this.max : max) !== "unlimited",
    );
  }

  /** The boundary, if the tool call is not covered. */
  uncovered({ tool }: StepCall): Uncovered | undefined {
    const { limit } = this;
    if (!isGroup(limit) && !concerns(limit, tool)) return undefined;
    const boundary = this.#boundary(isGroup(limit) ? (single) => concerns(single, tool) : undefined);
    if (!boundary) return undefined;
    this.exceeded = true;
    return { boundary };
  }

  /** Is there nothing left of it? */
  get isUsedUp(): boolean {
    return this.usedUp(this.limit, this.#granted);
  }

  /** Is there nothing left with these settings, and with what a person granted? */
  protected usedUp(limit: CheckedLimit, granted: Max | null): boolean {
    return boundaryOf(limit, this.since, this.now, undefined, granted) !== undefined;
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
  }

  /** As {@link restart}, for an answer that is allowed although nothing is left. */
  startOver(since: Reading): void {
    this.restart(since);
  }

  /** A person allows this much in the new round. A number means nothing for a group, which has several. */
  grant(max: Max): void {
    if (!isGroup(this.limit) || max === "unlimited") this.#granted = max;
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
    const apply = () => {
      this.limit = limit;
      this.#isGroup = isGroup(limit);
      this.#granted = granted;
      this.exceeded = exceeded;
      if (starts) this.restart(now);
    };
    return { kind: starts ? "restarted" : isChanged ? "changed" : "none", apply };
  }

  toState(since: number): BudgetState {
    return { name: this.name, since, granted: this.#granted, exceeded: this.exceeded };
  }

  // Finds out what the limit needs to be told, and throws if it cannot tell its usage.
  #read(limit: CheckedLimit): void {
    standingsOf(limit, this.since, this.now, null);
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

/** Skips activities that the limit does not count, and retries of a request that a limit of calls has admitted. */
export function isExempt({ before, measure }: SingleLimit, activity: Activity): boolean {
  if (!measure) return false;
  return before === "step" ? activity === "retry" : !countedFor(activity)[measure];
}

function isBeforeTurn({ before }: SingleLimit): boolean {
  return before === "turn";
}

/** Does the limit stand before calls of this tool? */
export function concerns({ before, tool }: SingleLimit, called: string | undefined): boolean {
  return before === "step" && (tool === undefined || tool === called);
}

function maximaOf(limit: CheckedLimit): string {
  return singlesOf(limit)
    .map(({ max }) => max)
    .join();
}

/** Are two limits the same? Functions and the wrap-up are ignored: they may be new objects on every load. */
function isSame(one: CheckedLimit, other: CheckedLimit): boolean {
  return JSON.stringify(dataOf(one)) === JSON.stringify(dataOf(other));
}

function dataOf(limit: CheckedLimit): unknown {
  if (!isGroup(limit)) return { ...limit, grace: 0, wrapUp: 0 };
  const { name, onExhausted, headless } = limit;
  return [name, onExhausted, headless, membersOf(limit).map(dataOf)];
}
