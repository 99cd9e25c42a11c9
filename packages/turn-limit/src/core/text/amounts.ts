import type { Max } from "../limits/boundary.ts";
import { dollars, tokens } from "./number-text.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A kind of amount: how it is written as a text, in a settings file and on the screen. */
export interface Amount {
  /** What a text may say, for example `a time such as 90s, 10m or 1h30m`. */
  readonly allowed: string;
  /** The same for a settings file, form by form, and as JSON schemas. */
  readonly allowedInFiles: readonly string[];
  readonly schemas: readonly object[];
  /** What "may follow the number" follows. */
  readonly called: "number" | "time";
  /** An answer to "How many more?". */
  readonly example: string;
  parse(text: string): number | undefined;
  /** Reads what a settings file says. */
  read(value: unknown): number | undefined;
  isValid(value: unknown): boolean;
  /** The exact amount, as `parse` reads it: `200k`, `$0.50`, `1h30m`. */
  format(amount: number): string;
  /** Usage on the screen, beside its limit if it has one: it must not look like all of that before it is. */
  show(amount: number, limit?: Max): string;
  /** Reads an answer to "How many more?", where that may be more than what `parse` reads. */
  parseMore?(text: string): number | undefined;
}

/** A plain number of things: `least` or more. */
export function counted(least: number): Amount {
  const countOf = (value: unknown) => (isCount(value) && value >= least ? value : undefined);
  return {
    allowed: `a whole number of ${least} or more`,
    allowedInFiles: [`a whole number of ${least} or more`],
    schemas: [{ type: "integer", minimum: least, maximum: Number.MAX_SAFE_INTEGER }],
    called: "number",
    example: "10",
    parse: (text) => (/^[0-9]+$/.test(text.trim()) ? countOf(Number(text)) : undefined),
    read: countOf,
    isValid: (value) => countOf(value) !== undefined,
    format: String,
    show: String,
  };
}

// In a settings file a text must have its unit: "25" is more likely a number put in quotes by mistake.

export const TOKENS: Amount = {
  allowed: "a number of tokens such as 200000, 200k or 1.5m",
  allowedInFiles: ["a whole number of 0 or more", 'a text such as "200k" or "1.5m"'],
  schemas: [
    { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    {
      description: 'A number of tokens with a unit, such as "200k" or "1.5m".',
      type: "string",
      pattern: "^([0-9]+(\\.[0-9]{1,3}0*)?[kK]|[0-9]+(\\.[0-9]{1,6}0*)?[mM])$",
    },
  ],
  called: "number",
  example: "50k",
  parse: parseTokens,
  read: (value) => textIn(value, /^\S+[km]$/i, parseTokens) ?? (isCount(value) ? value : undefined),
  isValid: isCount,
  format: formatTokens,
  show: tokens,
};

export const DOLLARS: Amount = {
  allowed: "a number of US dollars such as 5, $5 or $0.50",
  allowedInFiles: ["a number of 0 or more", 'a text such as "$5" or "$0.50"'],
  schemas: [
    { type: "number", minimum: 0 },
    {
      description: 'A number of US dollars, such as "$5" or "$0.50".',
      type: "string",
      pattern: "^\\$[0-9]+(\\.[0-9]+)?$",
    },
  ],
  called: "number",
  example: "$2",
  parse: parseDollars,
  read: (value) => textIn(value, /^\$\S+$/, parseDollars) ?? (isDollars(value) ? value : undefined),
  isValid: isDollars,
  format: formatDollars,
  show: dollars,
};

export const DURATION: Amount = {
  allowed: "a time such as 90s, 10m or 1h30m",
  allowedInFiles: ['a time such as "90s", "10m" or "1h30m"'],
  schemas: [
    {
      description: 'A time, such as "90s", "10m" or "1h30m".',
      type: "string",
      pattern: "^(?=[0-9])([0-9]+[hH])?([0-9]+[mM])?([0-9]+[sS])?$",
    },
  ],
  called: "time",
  example: "5m",
  parse: parseDuration,
  read: (value) => textIn(value, /^\S+$/, parseDuration),
  isValid: isCount,
  format: formatDuration,
  show: (amount) => twoLargest(unitsIn(Math.floor(amount / SECOND) * SECOND)),
  // The question is "How many more minutes?".
  parseMore: (text) => parseDuration(/^[0-9]+$/.test(text) ? `${text}m` : text),
};

/** A maximum on the screen: `25`, `1.25m`, `$0.015`, `1h30m`, `∞`. */
export function maxText(amount: Amount, max: Max): string {
  return max === "unlimited" ? "∞" : amount.format(max);
}

/** Reads `200000`, `200k` or `1.5m`, in any case, if it is a whole number of tokens. */
export function parseTokens(text: string): number | undefined {
  const [, whole, fraction = "", unit] = /^([0-9]+)(?:\.([0-9]+))?([km]?)$/i.exec(text.trim()) ?? [];
  if (whole === undefined || (fraction !== "" && unit === "")) return undefined;
  const places = { "": 0, k: 3, m: 6 }[unit?.toLowerCase() ?? ""] ?? 0;
  if (/[1-9]/.test(fraction.slice(places))) return undefined;
  // Moving the point in the text is exact; multiplying 1.005 by 1000 is not.
  const count = Number(whole + fraction.slice(0, places).padEnd(places, "0"));
  return isCount(count) ? count : undefined;
}

/** Writes `200k`, `1.5m` or `182345`: a unit only where it is exact. */
export function formatTokens(tokens: number): string {
  if (tokens >= 1_000_000 && tokens % 10_000 === 0) return `${tokens / 1_000_000}m`;
  if (tokens >= 1_000 && tokens % 100 === 0) return `${tokens / 1_000}k`;
  return String(tokens);
}

/** Reads `5`, `$5` or `$0.50`. */
export function parseDollars(text: string): number | undefined {
  const [, digits] = /^\$?([0-9]+(?:\.[0-9]+)?)$/.exec(text.trim()) ?? [];
  return isDollars(Number(digits)) ? Number(digits) : undefined;
}

/** Writes `$5.00` or `$0.125`, with two decimals, or as many as it takes to be exact. */
export function formatDollars(dollars: number): string {
  const [whole, decimals = ""] = withoutExponent(dollars).split(".");
  return `$${whole}.${decimals.padEnd(2, "0")}`;
}

/** Reads `90s`, `10m` or `1h30m15s`, in any case, as milliseconds. */
export function parseDuration(text: string): number | undefined {
  const parts = /^(?=[0-9])(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?$/i.exec(text.trim());
  if (!parts) return undefined;
  const [, hours = 0, minutes = 0, seconds = 0] = parts;
  const milliseconds = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
  return isCount(milliseconds) ? milliseconds : undefined;
}

/** Writes milliseconds as `10m` or `1h30m`; a fraction of a second, which cannot be set, as `1.5s`. */
export function formatDuration(milliseconds: number): string {
  const units = unitsIn(milliseconds).filter(([count]) => count > 0);
  return units.length === 0 ? "0s" : units.map(([count, unit]) => `${count}${unit}`).join("");
}

type Units = readonly (readonly [count: number, unit: string])[];

function unitsIn(milliseconds: number): Units {
  return [
    [Math.floor(milliseconds / HOUR), "h"],
    [Math.floor((milliseconds % HOUR) / MINUTE), "m"],
    [(milliseconds % MINUTE) / SECOND, "s"],
  ];
}

/** `45s`, `6m 12s`, `1h 5m`. */
function twoLargest(units: Units): string {
  const first = units.findIndex(([count]) => count > 0);
  const largest = first < 0 ? units.slice(2) : units.slice(first, first + 2);
  const shown = largest.filter(([count], index) => index === 0 || count > 0);
  return shown.map(([count, unit]) => `${count}${unit}`).join(" ");
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isDollars(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function textIn(value: unknown, form: RegExp, parse: (text: string) => number | undefined) {
  return typeof value === "string" && form.test(value) ? parse(value) : undefined;
}

function withoutExponent(value: number): string {
  const [digits = "", exponent] = String(value).split("e");
  if (exponent === undefined) return digits;
  if (Number(exponent) > 0) return String(BigInt(value));
  return `0.${"0".repeat(-Number(exponent) - 1)}${digits.replace(".", "")}`;
}
