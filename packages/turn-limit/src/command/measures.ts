import { type LimitIdentity, labelOf, type Max } from "../core/limits/boundary.ts";
import { TOOLS } from "../core/limits/kinds.ts";
import { type Amount, counted, DOLLARS, DURATION, TOKENS } from "../core/text/amounts.ts";
import { MOST, toUnits } from "../pools/units.ts";
import { unknownWord, wrongInput } from "./command-error.ts";

const ONE_BY_ONE = counted(1);

/** What a pool can limit and how it is written, in the order in which it is shown. Tools have names of their own. */
const MEASURES: Readonly<Record<string, Amount>> = {
  turns: ONE_BY_ONE,
  requests: ONE_BY_ONE,
  steps: ONE_BY_ONE,
  tokens: TOKENS,
  cost: DOLLARS,
  time: DURATION,
};

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

function amountOf(measure: string): Amount {
  return (Object.hasOwn(MEASURES, measure) ? MEASURES[measure] : undefined) ?? ONE_BY_ONE;
}

/** Checks the name of something that a pool can limit. */
export function requireMeasure(name: string): string {
  if (Object.hasOwn(MEASURES, name) || (name.startsWith(TOOLS) && name !== TOOLS)) return name;
  throw unknownWord(name, "something that a pool limits", [...Object.keys(MEASURES), `${TOOLS}NAME`]);
}

/** Reads an amount above zero that a person typed, as people count it. */
export function readAmount(measure: string, text: string, otherWords: readonly string[]): number {
  const amount = amountOf(measure);
  const value = amount.parse(text);
  const stored = value === undefined ? 0 : toUnits(measure, value);
  if (value !== undefined && stored > 0 && stored < MOST) return value;
  const allowed = `${otherWords.join(", ")}, or ${amount.allowed}`;
  const why = value === undefined ? "" : stored > 0 ? " that can be counted" : " above 0";
  throw wrongInput(`${JSON.stringify(text)} is not an amount of ${measure}${why}. Use ${allowed}.`);
}

/** An amount as people read it: `$1.42`, `1.2m`, `6m 12s`. `max`: what it is shown beside. */
export function amountText(measure: string, amount: number, max?: Max): string {
  return amountOf(measure).show(amount, max);
}

/** A maximum as people read it: `$5.00`, `2m`, `∞`. */
export function maxText(measure: string, max: Max): string {
  return max === "unlimited" ? "∞" : amountOf(measure).format(max);
}

/** The measures in the order in which they are shown: tools last, by name. */
export function inOrder(measures: Iterable<string>): string[] {
  const known = Object.keys(MEASURES);
  const place = (name: string) => (known.includes(name) ? known.indexOf(name) : known.length);
  return [...new Set(measures)].sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1));
}

/** An amount for people to go by, when they are asked how much more: `10`, `$2`. */
export function exampleOf(measure: string): string {
  return amountOf(measure).example;
}
