import {
  dollarsOf,
  formatDollars,
  formatDuration,
  formatTokens,
  parseDollars,
  parseDuration,
  parseTokens,
} from "./amounts.ts";
import { countOf } from "./grammar.ts";

/** A kind of amount: what is one, and how it is written. */
export interface Amount {
  /** The forms that a settings file may have it in, in words. */
  readonly allowed: readonly string[];
  /** Returns `value` if it is such an amount. */
  of(value: unknown): number | undefined;
  /** Reads what a settings file says. */
  read(value: unknown): number | undefined;
  format(amount: number): string;
}

// In a settings file a text must say its unit: "25" is more likely a number put in quotes by mistake.

export const TOKENS: Amount = {
  allowed: ["a whole number from 0 on", 'a text such as "200k" or "1.5m"'],
  of: (value) => countOf(value),
  read: (value) => textOf(value, /^\S+[km]$/i, parseTokens) ?? countOf(value),
  format: formatTokens,
};

export const DOLLARS: Amount = {
  allowed: ["a number from 0 on", 'a text such as "$5" or "$0.50"'],
  of: dollarsOf,
  read: (value) => textOf(value, /^\$\S+$/, parseDollars) ?? dollarsOf(value),
  format: formatDollars,
};

export const DURATION: Amount = {
  allowed: ['a time such as "90s", "10m" or "1h30m"'],
  of: (value) => countOf(value),
  read: (value) => textOf(value, /^\S+$/, parseDuration),
  format: formatDuration,
};

/** A plain count from `least` on. */
export function counted(least: number): Amount {
  return {
    allowed: [`a whole number from ${least} on`],
    of: (value) => countOf(value, least),
    read: (value) => countOf(value, least),
    format: String,
  };
}

function textOf(value: unknown, form: RegExp, parse: (text: string) => number | undefined) {
  return typeof value === "string" && form.test(value) ? parse(value) : undefined;
}
