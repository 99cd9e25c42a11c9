import type { Max } from "../core/limits/boundary.ts";
import { builtIn, kindOf } from "../core/limits/kinds.ts";
import { MEASURES } from "../core/measures/measures.ts";

/** The measure of a limit that a store calls by this name. */
function measureOf(limit: string) {
  const identity = builtIn(limit);
  const measure = identity && kindOf(identity)?.measure;
  return measure && MEASURES[measure];
}

/** Is it counted one by one, when it begins? What is not is measured, and settled afterwards. */
export function isCounted(limit: string): boolean {
  return measureOf(limit)?.oneByOne === true;
}

/** The most that a pool can admit: the largest whole number that every store keeps exactly. */
export const MOST = Number.MAX_SAFE_INTEGER;
/** The most that one member can use: that of many of them still adds up. */
const MOST_USED = 2 ** 46;

function unitsOf(limit: string): number {
  return measureOf(limit)?.storeUnits ?? 1;
}

/** An amount as stores keep it: a whole number. */
export function toUnits(limit: string, amount: number, most = MOST): number {
  return Math.min(most, Math.round(amount * unitsOf(limit)));
}

/** What a member has used, as stores keep it. A part of a millisecond counts as one. */
export function usedUnits(limit: string, amount: number): number {
  return toUnits(limit, unitsOf(limit) === 1 ? Math.ceil(amount) : amount, MOST_USED);
}

/** An amount as people know it: cost in US dollars. */
export function fromUnits(limit: string, units: number): number {
  return units / unitsOf(limit);
}

export function maxToUnits(limit: string, max: Max): Max {
  return max === "unlimited" ? max : toUnits(limit, max);
}

export function maxFromUnits(limit: string, max: Max): Max {
  return max === "unlimited" ? max : fromUnits(limit, max);
}
