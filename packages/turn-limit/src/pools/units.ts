import type { Max } from "../core/limits/boundary.ts";

const BILLION = 1_000_000_000;

const COUNTED = /^(turns|requests|steps|tools\..*)$/s;

/** Is it counted, in whole numbers, and not measured? */
export function isCounted(measure: string): boolean {
  return COUNTED.test(measure);
}

/** The most that a pool can admit: the largest whole number that every store keeps exactly. */
export const MOST = Number.MAX_SAFE_INTEGER;
/** The most that one member can use: that of many of them still adds up. */
const MOST_USED = 2 ** 46;

/** An amount as stores keep it: a whole number. */
export function toUnits(measure: string, amount: number, most = MOST): number {
  return Math.min(most, Math.round(measure === "cost" ? amount * BILLION : amount));
}

/** What a member has used, as stores keep it. A part of a millisecond counts as one. */
export function usedUnits(measure: string, amount: number): number {
  return toUnits(measure, measure === "time" ? Math.ceil(amount) : amount, MOST_USED);
}

/** An amount as people know it: cost in US dollars. */
export function fromUnits(measure: string, units: number): number {
  return measure === "cost" ? units / BILLION : units;
}

export function maxToUnits(measure: string, max: Max): Max {
  return max === "unlimited" ? max : toUnits(measure, max);
}

export function maxFromUnits(measure: string, max: Max): Max {
  return max === "unlimited" ? max : fromUnits(measure, max);
}
