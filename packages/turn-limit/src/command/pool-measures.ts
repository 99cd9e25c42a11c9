import type { Max } from "../core/limits/boundary.ts";
import { builtIn, KINDS, kindOf, TOOLS } from "../core/limits/kinds.ts";
import { MEASURES } from "../core/measures/measures.ts";
import { maxText as writtenMax } from "../core/measures/write-amounts.ts";
import type { Amount } from "../core/text/amounts.ts";
import { listed } from "../core/text/number-text.ts";
import { quoted, whyNoAmount } from "../core/text/refused-amounts.ts";
import { oneLine } from "../core/text/text-width.ts";
import { invalid } from "../core/words.ts";
import { amountFor, isCountable, measureCalled } from "../pools/listing/typed-replies.ts";
import { POOLED } from "../pools/pool-options.ts";
import { toUnits } from "../pools/units.ts";
import { unknownWord, wrongInput } from "./command-error.ts";

// What a pool limits is called here as stores call it, and as a person types it: `cost`, `tools.bash`.

/** Checks the name of something that a pool can limit. */
export function requireMeasure(name: string): string {
  const limit = builtIn(name);
  // It is shown on the terminals of others.
  const isTool = limit?.tool !== undefined && oneLine(name) === name;
  if (POOLED.some((known) => known === name) || isTool || limit?.kind === "plan") return name;
  throw unknownWord(name, "something that a pool limits", [...inOrder(POOLED), `${TOOLS}NAME`]);
}

/** Reads an amount above zero that a person typed, as people count it. */
export function readAmount(measure: string, text: string, otherWords: readonly string[]): number {
  const amount = amountFor(measure);
  const value = amount.parse(text);
  if (value !== undefined && isCountable(measure, value)) return value;
  throw wrongInput(invalid(`amount of ${measure}`, whyNot(text, measure, amount, otherWords)));
}

function whyNot(text: string, measure: string, amount: Amount, otherWords: readonly string[]): string {
  const value = amount.parse(text);
  if (value === undefined && !text.startsWith("-")) return whyNoAmount(text, amount, otherWords);
  const what = toUnits(measure, value ?? 0) > 0 ? "more than can be counted" : "not above 0";
  return `${quoted(text)} is ${what}. Use ${amount.short}, or ${listed(otherWords, "or")}.`;
}

/** An amount as people read it: `$1.42`, `1.2m`, `6m 12s`. `max`: what it is shown beside. */
export function amountText(measure: string, amount: number, max?: Max): string {
  return amountFor(measureCalled(measure)).show(amount, max);
}

/** A maximum as people read it: `$5.00`, `2m`, `∞`. */
export function maxText(measure: string, max: Max): string {
  return writtenMax(amountFor(measureCalled(measure)), max);
}

/** An amount for people to go by, when they are asked how much more: `10`, `$2`. */
export function exampleOf(measure: string): string {
  return amountFor(measure).example;
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
