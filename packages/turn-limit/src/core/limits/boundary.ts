import { type Check, check, isAmount, wholeNumber } from "../checks.ts";
import type { LimitName } from "./kinds.ts";

/** How much a limit admits: a number of 0 or more, whole where units are counted, or no limit at all. */
export type Max = number | "unlimited";

/** Where a limit stands. Tokens and calls are counted, cost is in US dollars, time in milliseconds. */
export interface Boundary {
  limit: LimitName;
  used: number;
  max: Max;
  /** Of a cost limit: more was used than is known, because a model has no price. */
  unpriced?: true;
  /** Why, where the numbers do not say it: a pool is frozen, or its store cannot be reached. */
  why?: string;
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
