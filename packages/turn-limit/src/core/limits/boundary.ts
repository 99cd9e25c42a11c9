import { type Check, check, isAmount, wholeNumber } from "../checks.ts";
import type { KindName, LimitName } from "./kinds.ts";

/** How much a limit admits: a number of 0 or more, whole where units are counted, or no limit at all. */
export type Max = number | "unlimited";

/** What a limit is, whatever it is called: all that code needs to know in order to tell one limit from another. */
export interface LimitIdentity {
  /**
   * A built-in kind, `plan` of a window of a subscription, or `custom`. What closes a pool is `freeze`, or `store` if its store cannot be reached. What a person
   * does to a run from elsewhere is `freeze`, or `stop`.
   */
  readonly kind: KindName | "plan" | "custom" | "freeze" | "store" | "stop";
  /** Of a limit of a single tool: which one. */
  readonly tool?: string;
  /** The id of the pool whose limit it is. */
  readonly pool?: string;
  /** The period that its budget holds for, such as `day`; of a subscription its window, such as `5h`. */
  readonly per?: string;
}

/** What a limit is called: `cost`, `tools.bash`, `cost of pool research`, `cost per day`. */
export function labelOf({ kind, tool, pool, per }: LimitIdentity): string {
  // Of a plan, each window is a limit.
  if (kind === "plan" && pool !== undefined)
    return `${labelOf({ kind, ...(per !== undefined && { per }) })} of pool ${pool}`;
  const own = tool === undefined ? kind : `${kind}.${tool}`;
  if (pool !== undefined) return `${own} of pool ${pool}`;
  return per === undefined ? own : `${own} per ${per}`;
}

/** Do others draw from its budget, too? */
export function isShared({ pool, per }: LimitIdentity): boolean {
  return pool !== undefined || per !== undefined;
}

/** Is it the run's own limit of this kind? */
export function isOwn(identity: LimitIdentity, kind: LimitIdentity["kind"]): boolean {
  return identity.kind === kind && !isShared(identity);
}

/** The rounds that a limit was granted because the run got somewhere, since a person prompted or allowed more. */
export interface Extended {
  times: number;
  /** What the last of them was granted for, where that is known: `3 files changed`. */
  what?: string;
}

/** Where a limit stands. Tokens and calls are counted, cost is in US dollars, time in milliseconds. */
export interface Boundary {
  /** What it is called, for people to read. Within a run no two limits are called the same. */
  limit: LimitName;
  identity: LimitIdentity;
  used: number;
  max: Max;
  /** Of a cost limit: more was used than is known, because a model has no price. */
  unpriced?: true;
  /** Why, where the numbers do not say it: a pool is frozen, or its store cannot be reached. */
  why?: string;
  /** How often it was extended without a question, if it was. */
  extended?: Extended;
}

/** What is known of a limit that is waited for. */
export interface Waits {
  /** When it starts over, in milliseconds since 1970. Left out: that is not known. */
  until?: number;
}

/** The boundary alone, without what a decision or a question adds to it. */
export function boundaryAlone({ limit, identity, used, max, why, extended }: Boundary): Boundary {
  return { limit, identity, used, max, ...(why !== undefined && { why }), ...(extended && { extended }) };
}

/** What is asked of a limit. */
export interface AskedAbout extends Boundary {
  waits?: Waits;
  /** How much a yes allows, where that is not `max`: more or less than the limit is set to was allowed before. */
  round?: Max;
}

/** The question alone, as it is kept and asked elsewhere: without who asks, and when. */
export function questionOf(
  asked: Boundary & { readonly waits?: Waits | undefined; readonly round?: Max | undefined },
): AskedAbout {
  const { unpriced, waits, round } = asked;
  return {
    ...boundaryAlone(asked),
    ...(unpriced && { unpriced }),
    ...(waits && { waits }),
    ...(round !== undefined && { round }),
  };
}

/** Is `max` used up, so that it does not cover one more unit? The one rule of every limit. */
export function isReached(used: number, max: Max): boolean {
  return max !== "unlimited" && used >= max;
}

/** A whole {@link Max} of `least` or more. */
export function wholeMax(least = 0): Check<Max> {
  return check(
    (value) => value === "unlimited" || (Number.isSafeInteger(value) && (value as number) >= least),
    `${wholeNumber(least)}, or "unlimited"`,
  );
}

/** A {@link Max}, whole or not. */
export const amountMax: Check<Max> = check(
  (value) => value === "unlimited" || isAmount(value),
  'a number of 0 or more, or "unlimited"',
);

/** How many turns a run may take unless a limit is set. */
export const DEFAULT_MAX_TURNS = 25;
