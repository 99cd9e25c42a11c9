import type { Amount } from "./amounts.ts";
import { nearestWord } from "./nearest-word.ts";
import { listed } from "./number-text.ts";

// What is wrong with a text that is no limit, in a sentence about this text that says what to write. It follows
// "Invalid time limit.".

/** Why a text is no amount: `"10" needs a unit: 10s, 10m or 10h.` `otherWords`: what is accepted besides amounts. */
export function whyNoAmount(text: string, amount: Amount, otherWords: readonly string[] = []): string {
  const { least, units, short, parse } = amount;
  const given = quoted(text);
  const isAccepted = (text: string) => otherWords.includes(text) || parse(text) !== undefined;
  const instead = writeInstead(text, isAccepted);
  if (instead !== undefined) return instead;
  const withUnits = /^[0-9.]+$/.test(text) ? units.map((unit) => text + unit).filter(isAccepted) : [];
  if (withUnits.length > 0) return `${given} needs a unit: ${listed(withUnits, "or")}.`;
  const orWords = otherWords.length === 0 ? "" : `, or ${listed(otherWords, "or")}`;
  const [, sign, digits = ""] = /^\$?(-?)\$?([0-9]+)(?:\.[0-9]+)?[a-z]?$/.exec(text) ?? [];
  if (sign || (digits !== "" && Number(digits) < least))
    return `${given} is below ${least}. Use ${least} or more${orWords}.`;
  if (digits.length >= TOO_LONG) return `${given} is too large. Use a smaller number${orWords}.`;
  return `Use ${short}${orWords}, not ${given}.`;
}

// Of that many digits no number can be counted exactly.
const TOO_LONG = 13;

/** Why a word is no period: `"fortnight" is not a period. Use session, day, week or month.` */
export function whyNoPeriod(word: string, periods: readonly string[]): string {
  const use = listed(periods, "or");
  if (word === "") return `per needs a period: ${use}.`;
  const meant = nearestWord(word, periods);
  return meant === undefined
    ? `${quoted(word)} is not a period. Use ${use}.`
    : `Write per ${meant}, not ${quoted(`per ${word}`)}.`;
}

/** What to write instead of a text whose meaning is clear, if that is accepted: `Write $5 per day, not "$5/day".` */
export function writeInstead(text: string, isAccepted: (text: string) => boolean): string | undefined {
  let meant = text.trim().toLowerCase();
  for (const [pattern, replacement] of REWRITES) {
    const before = meant;
    meant = before.replace(pattern, replacement as string).trim();
    if (meant === before || !isAccepted(meant)) continue;
    if (pattern !== THOUSANDS) return `Write ${meant}, not ${quoted(text)}.`;
    return `${quoted(text)} has ${text.includes(",") ? "commas" : "separators"}: write ${meant}.`;
  }
  return undefined;
}

const THOUSANDS = /(?<=[0-9])[,_'](?=[0-9]{3}(?![0-9]))/g;

type Replacement = string | ((matched: string, ...groups: string[]) => string);

/** How people write what they mean, and how it is read here. One after the other. */
const REWRITES: readonly (readonly [pattern: RegExp, replacement: Replacement])[] = [
  [
    /^(?:∞|inf|infinity|infinite|none|off|never|no limit|no-limit|nolimit|unlimit|unlimitted|unlimted)$/,
    "unlimited",
  ],
  [THOUSANDS, ""],
  [/^p\s+(?=[0-9])/g, "p"],
  [/^([1-9][0-9]?)(?:st|nd|rd|th)?\s*percentile\b/g, "p$1"],
  [/(?<=^p[0-9]+)\s+(?:upto|at most|max|maximum|capped at)\s+/g, " up to "],
  [/\s*\/\s*(?=[a-z])/g, " per "],
  [/\b(?:an?|each|every)\s+(?=(?:session|day|week|month)\b)/g, "per "],
  [/\b(?:daily|weekly|monthly)\b/g, (word) => `per ${word === "daily" ? "day" : word.slice(0, -2)}`],
  [/(?<!\bper)\s+(?=(?:session|day|week|month)\b)/g, " per "],
  [/\bper\s+(session|day|week|month)s\b/g, "per $1"],
  [/\s*\bper\s+(?:prompt|run)\b/g, ""],
  [/\s*\b(?:turns?|steps?|tokens?|tok|calls?|requests?|times)\b/g, ""],
  [/(?<=[0-9])\s*(?:hours?|hrs?)\b/g, "h"],
  [/(?<=[0-9])\s*(?:minutes?|mins?)\b/g, "m"],
  [/(?<=[0-9])\s*(?:seconds?|secs?)\b/g, "s"],
  [/(?<=[0-9])\s*thousand\b/g, "k"],
  [/(?<=[0-9])\s*million\b/g, "m"],
  [/(?<=[0-9])\s+(?=[hmsk]\b)/g, ""],
  [/(?<=[0-9][hm])\s+(?:and\s+)?(?=[0-9]+[ms]\b)/g, ""],
  [/\b([0-9]+)(\.[0-9]+)([hm])\b/g, wholeUnits],
  [/\b(?:usd|us(?=\$))\s*(?=[$0-9.])/g, "$"],
  [/\${2,}/g, "$"],
  [/\$\s+(?=[0-9.])/g, "$"],
  [/([0-9]+(?:\.[0-9]+)?)\s*(?:\$|usd\b|dollars?\b)/g, "$$$1"],
  [/(?<![0-9])\.(?=[0-9])/g, "0."],
  [/(?<=[0-9])\.(?![0-9])/g, ""],
  [/^(\S+)\s+(.+?)\s+(per\s+\w+)$/, "$1 $3 $2"],
];

/** `1.5h` as `1h30m`, where that is exact. */
function wholeUnits(matched: string, whole = "", fraction = "", unit = ""): string {
  const rest = Number(fraction) * 60;
  return Number.isInteger(rest) ? `${whole}${unit}${rest}${unit === "h" ? "m" : "s"}` : matched;
}

const LONGEST = 40;

/** A text as it was given, cut if it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
