import { type LimitIdentity, labelOf, type Max } from "../core/limits/boundary.ts";
import { builtIn, KINDS, kindOf, TOOLS } from "../core/limits/kinds.ts";
import { MEASURES } from "../core/measures/measures.ts";
import { maxText as writtenMax } from "../core/measures/write-amounts.ts";
import { type Amount, amountOf } from "../core/text/amounts.ts";
import { listed } from "../core/text/number-text.ts";
import { quoted, whyNoAmount } from "../core/text/refused-amounts.ts";
import { invalid } from "../core/words.ts";
import { POOLED } from "../pools/pool-options.ts";
import { MOST, toUnits } from "../pools/units.ts";
import { unknownWord, wrongInput } from "./command-error.ts";

// What a pool limits is called here as stores call it, and as a person types it: `cost`, `tools.bash`.

/** A limit as it is named where it is reached. Records of earlier versions do not say what it is. */
export interface NamedLimit {
  readonly limit: string;
  readonly identity?: LimitIdentity | null | undefined;
}

/** What a limit measures: `cost` for the limit `cost of pool research`. */
export function measureOf({ limit, identity }: NamedLimit): string {
  if (!identity || identity.kind === "custom") return limit;
  const { kind, tool } = identity;
  return labelOf({ kind, ...(tool !== undefined && { tool }) });
}

/** Checks the name of something that a pool can limit. */
export function requireMeasure(name: string): string {
  if (POOLED.some((known) => known === name) || builtIn(name)?.tool !== undefined) return name;
  throw unknownWord(name, "something that a pool limits", [...inOrder(POOLED), `${TOOLS}NAME`]);
}

/** Reads an amount above zero that a person typed, as people count it. */
export function readAmount(measure: string, text: string, otherWords: readonly string[]): number {
  const amount = amountFor(measure);
  const value = amount.parse(text);
  const stored = value === undefined ? 0 : toUnits(measure, value);
  if (value !== undefined && stored > 0 && stored < MOST) return value;
  throw wrongInput(invalid(`amount of ${measure}`, whyNot(text, stored, amount, otherWords)));
}

function whyNot(text: string, stored: number, amount: Amount, otherWords: readonly string[]): string {
  const isBelow = text.startsWith("-");
  if (amount.parse(text) === undefined && !isBelow) return whyNoAmount(text, amount, otherWords);
  const what = stored > 0 ? "more than can be counted" : "not above 0";
  return `${quoted(text)} is ${what}. Use ${amount.short}, or ${listed(otherWords, "or")}.`;
}

/** An amount as people read it: `$1.42`, `1.2m`, `6m 12s`. `max`: what it is shown beside. */
export function amountText(measure: string, amount: number, max?: Max): string {
  return amountFor(measure).show(amount, max);
}

/** A maximum as people read it: `$5.00`, `2m`, `∞`. */
export function maxText(measure: string, max: Max): string {
  return writtenMax(amountFor(measure), max);
}

/** An amount for people to go by, when they are asked how much more: `10`, `$2`. */
export function exampleOf(measure: string): string {
  return amountFor(measure).example;
}

// What is typed is always more: one or more.
function amountFor(measure: string): Amount {
  return amountOf(builtIn(measure) ?? { kind: "custom" }, 1);
}

/** The same names in the order in which they are shown: tools last, by name. */
export function inOrder<Name extends string>(measures: Iterable<Name>): Name[] {
  return [...new Set(measures)].sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1));
}

const IN_ORDER = Object.keys(MEASURES);

// By what it measures, and of the same by its kind.
function place(name: string): number {
  const identity = builtIn(name);
  const measure = identity && kindOf(identity)?.measure;
  if (!identity || !measure) return Infinity;
  const kinds = Object.keys(KINDS);
  return IN_ORDER.indexOf(measure) + kinds.indexOf(identity.kind) / kinds.length;
}
