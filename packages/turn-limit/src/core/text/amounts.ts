import type { LimitIdentity } from "../limits/boundary.ts";
import { kindOf } from "../limits/kinds.ts";
import { MEASURES, type Measure } from "../measures/measures.ts";
import { HOUR, MINUTE, SECOND } from "../measures/write-amounts.ts";

/** How an amount of a measure is read from a text and a settings file, and how it is written. */
export interface Amount {
  /** What a text may say, for example `a time such as 90s, 10m or 1h30m`. */
  readonly allowed: string;
  /** In a few words: `a time such as 10m`. */
  readonly short: string;
  /** The smallest amount. */
  readonly least: number;
  /** What a number may need after it, the smallest first. */
  readonly units: readonly string[];
  /** What is allowed in a settings file, form by form, and as JSON schemas. */
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
  /** What is used of it, beside its limit if it has one. */
  show(amount: number, limit?: number | "unlimited"): string;
  /** Reads an answer to "How many more?", where that may be more than what `parse` reads. */
  parseMore?(text: string): number | undefined;
}

/** A plain number of things: `least` or more. */
export function counted(least: number): Amount {
  const countOf = (value: unknown) => (isCount(value) && value >= least ? value : undefined);
  return {
    allowed: `a whole number of ${least} or more`,
    short: "a whole number",
    least,
    units: [],
    allowedInFiles: [`a whole number of ${least} or more`],
    schemas: [{ type: "integer", minimum: least, maximum: Number.MAX_SAFE_INTEGER }],
    called: "number",
    example: "10",
    parse: (text) => (/^[0-9]+$/.test(text.trim()) ? countOf(Number(text)) : undefined),
    read: countOf,
    isValid: (value) => countOf(value) !== undefined,
    ...written("turns"),
  };
}

// In a settings file a text must have its unit: "25" is more likely a number put in quotes by mistake.

export const TOKENS: Amount = {
  allowed: "a number of tokens such as 200000, 200k or 1.5m",
  short: "a number of tokens such as 200k",
  least: 0,
  units: ["k", "m"],
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
  ...written("tokens"),
};

export const DOLLARS: Amount = {
  allowed: "a number of US dollars such as 5, $5 or $0.50",
  short: "a number of US dollars such as $5",
  least: 0,
  units: [],
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
  ...written("cost"),
};

export const DURATION: Amount = {
  allowed: "a time such as 90s, 10m or 1h30m",
  short: "a time such as 10m",
  least: 0,
  units: ["s", "m", "h"],
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
  ...written("time"),
  // The question is "How many more minutes?".
  parseMore: (text) => parseDuration(/^[0-9]+$/.test(text) ? `${text}m` : text),
};

export const PERCENT: Amount = {
  allowed: "per cent such as 80%",
  short: "per cent such as 80%",
  least: 0,
  units: ["%"],
  allowedInFiles: ['a text such as "80%"'],
  schemas: [{ description: 'Per cent, such as "80%".', type: "string", pattern: "^[0-9]+(\\.[0-9]+)?%$" }],
  called: "number",
  example: "10%",
  parse: parsePercent,
  read: (value) => textIn(value, /^\S+%$/, parsePercent),
  isValid: isDollars,
  ...written("percent"),
};

const AMOUNTS: Readonly<Partial<Record<Measure, Amount>>> = {
  tokens: TOKENS,
  cost: DOLLARS,
  time: DURATION,
  percent: PERCENT,
};

/** How amounts of a limit are read and written: plain numbers, of `least` or more, unless its measure has units. */
export function amountOf(limit: LimitIdentity, least = kindOf(limit)?.least ?? 0): Amount {
  const measure = kindOf(limit)?.measure;
  return (measure && AMOUNTS[measure]) ?? counted(least);
}

function written(measure: Measure): Pick<Amount, "show" | "format"> {
  const { show, format } = MEASURES[measure];
  return { show, format };
}

/** Reads `200000`, `200k` or `1.5m`, in any case, if it is a whole number of tokens. */
function parseTokens(text: string): number | undefined {
  const [, whole, fraction = "", unit] = /^([0-9]+)(?:\.([0-9]+))?([km]?)$/i.exec(text.trim()) ?? [];
  if (whole === undefined || (fraction !== "" && unit === "")) return undefined;
  const places = { "": 0, k: 3, m: 6 }[unit?.toLowerCase() ?? ""] ?? 0;
  if (/[1-9]/.test(fraction.slice(places))) return undefined;
  // Moving the point in the text is exact; multiplying 1.005 by 1000 is not.
  const count = Number(whole + fraction.slice(0, places).padEnd(places, "0"));
  return isCount(count) ? count : undefined;
}

/** Reads `5`, `$5` or `$0.50`. */
function parseDollars(text: string): number | undefined {
  const [, digits] = /^\$?([0-9]+(?:\.[0-9]+)?)$/.exec(text.trim()) ?? [];
  return isDollars(Number(digits)) ? Number(digits) : undefined;
}

/** Reads `90s`, `10m` or `1h30m15s`, in any case, as milliseconds. */
function parseDuration(text: string): number | undefined {
  const parts = /^(?=[0-9])(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?$/i.exec(text.trim());
  if (!parts) return undefined;
  const [, hours = 0, minutes = 0, seconds = 0] = parts;
  const milliseconds = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
  return isCount(milliseconds) ? milliseconds : undefined;
}

/** Reads `80%`. */
function parsePercent(text: string): number | undefined {
  const [, digits] = /^([0-9]+(?:\.[0-9]{1,2})?)%$/.exec(text.trim()) ?? [];
  return digits !== undefined && Number(digits) <= 100 ? Number(digits) : undefined;
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
