import type { Max } from "../../core/limits/boundary.ts";

/**
 * How much of each thing that is measured: `turns`, `requests`, `steps`, `tokens`, `cost`, `time`, `tools.<name>`. Whole numbers
 * only, so that every store adds them up alike: cost in billionths of a US dollar, time in milliseconds.
 */
export type Amounts = Readonly<Record<string, number>>;

/** Engines are several times slower with objects that have no prototype than with those of this one, which has nothing. */
const NOTHING: object = Object.freeze(Object.create(null));

/** Amounts that nobody else holds, and that inherit nothing: a tool may be called anything. */
export function amounts(from?: Amounts): Record<string, number> {
  return Object.assign(Object.create(NOTHING), from);
}

/** Adds amounts to others, in place. What comes to nothing is left out. */
export function add(to: Record<string, number>, what: Amounts, sign: 1 | -1 = 1): void {
  addAll(to, what, sign);
  dropNothing(to);
}

/** The same, and what comes to nothing is 0: it is faster if it will be something again. */
export function addAll(to: Record<string, number>, what: Amounts, sign: 1 | -1 = 1): void {
  for (const measure of Object.keys(what))
    to[measure] = (to[measure] ?? 0) + sign * (what[measure] as number);
}

/** Leaves out what is 0. */
export function dropNothing(from: Record<string, number>): void {
  for (const measure of Object.keys(from)) if (from[measure] === 0) delete from[measure];
}

/** The amount of a measure, by own properties only: a tool may be called `constructor`. */
export function of<T>(from: Readonly<Record<string, T>> | undefined, measure: string): T | undefined {
  return from && Object.hasOwn(from, measure) ? from[measure] : undefined;
}

/** How much a pool admits, with what was allowed in addition. */
export function sum(one: Max | undefined, other: Max | undefined): Max {
  if (one === "unlimited" || other === "unlimited") return "unlimited";
  return (one ?? 0) + (other ?? 0);
}
