import type { Amount } from "./amounts.ts";
import { quoted } from "./refused-amounts.ts";

// A maximum that is chosen from what one's own runs took: `p90`, `p90 up to 50`.

/** A percentile of what runs took, and what it is never above. */
export interface Percentile {
  /** Of a hundred runs, how many it covers: 1 to 99. */
  readonly of: number;
  readonly upTo?: number;
}

/** A percentile as options write it: `"p90"`, `"p90 up to 50"`, `"p90 up to $5"`. */
export type PercentileText = `p${number}` | `p${number} up to ${string}`;

/** The words between a percentile and what it is never above. */
export const UP_TO = "up to";

/** A percentile for examples. */
export const PERCENTILE_EXAMPLE = "p90";

/** Why a limit that several runs share cannot be one. */
export const NOT_OF_RUNS = "A percentile is of what single runs took: it needs a limit for one run.";

const PERCENTILE = /^p([1-9][0-9]?)(?:\s+up\s+to\s+(\S+))?$/i;

/** Reads a percentile; nothing if the text is none. `amount`: how the amounts of its limit are read. */
export function parsePercentile(text: string, amount: Pick<Amount, "parse">): Percentile | undefined {
  const [, of, most] = PERCENTILE.exec(text.trim()) ?? [];
  if (of === undefined) return undefined;
  if (most === undefined) return { of: Number(of) };
  const upTo = amount.parse(most);
  return upTo === undefined ? undefined : { of: Number(of), upTo };
}

/** The text that {@link parsePercentile} reads. */
export function formatPercentile({ of, upTo }: Percentile, amount: Pick<Amount, "format">): string {
  return upTo === undefined ? `p${of}` : `p${of} ${UP_TO} ${amount.format(upTo)}`;
}

/** A percentile in a JSON schema. That what it is never above is an amount of its limit, is not said there. */
export const PERCENTILE_SCHEMA = {
  description:
    'What 90 % of your own last runs took: "p90", or "p90 up to" an amount that it is never above.',
  type: "string",
  pattern: "^[pP][1-9][0-9]?( [uU][pP] [tT][oO] \\S+)?$",
} as const;

/** Does a value that was read stand for a percentile? */
export function isPercentile(value: unknown): value is string {
  // Asked of every limit at every start, where to make the expression takes longer than all the rest of it.
  return typeof value === "string" && (value[0] === "p" || value[0] === "P") && PERCENTILE.test(value);
}

/** Why a text is no percentile, in a sentence that says what to write; nothing if none was meant. */
export function whyNoPercentile(text: string, amount: Amount): string | undefined {
  const [first = "", ...rest] = text.trim().split(/\s+/);
  const hasUpTo = rest.slice(0, 2).join(" ").toLowerCase() === UP_TO;
  const isMeant = /^p(?:[-+]?[0-9.].*)?$/i.test(first);
  if (isMeant && parsePercentile(first, amount) === undefined)
    return `${quoted(first)} is not a percentile. Use p1 to p99, such as ${PERCENTILE_EXAMPLE}.`;
  if (!hasUpTo) return undefined;
  const example = `${PERCENTILE_EXAMPLE} ${UP_TO} ${amount.example}`;
  if (!isMeant) return `Only a percentile is followed by ${UP_TO}: ${example}.`;
  const most = rest[2];
  return `After ${first} ${UP_TO}, use ${amount.short}${most === undefined ? "" : `, not ${quoted(most)}`}.`;
}
