import type { Amount } from "./amounts.ts";
import { counted } from "./amounts.ts";

/** The words after an amount that allow more of it: `25 extend 3 by 10`. */
export const EXTEND = "extend";
export const BY = "by";

/** How often, and by how much. */
export const TIMES = counted(1);

/** An extension as a person says it, and the words that follow it. */
export interface SaidExtension {
  readonly extend: number;
  readonly extendBy?: number;
  readonly rest: readonly string[];
}

/** May a person say that there is none: `extend 0`, and `by 0` for as much as the limit? */
export interface ExtensionOptions {
  readonly canBeNone?: boolean;
}

/** Reads `extend 3`, or `extend 3 by 10`. `amount`: in which amounts. `undefined`: that is not what the words say. */
export function saidExtension(
  words: readonly string[],
  amount: Amount,
  options: ExtensionOptions = {},
): SaidExtension | undefined {
  const [first, often = "", by, much = "", ...more] = words;
  const extend = first === EXTEND ? timesOf(options).parse(often) : undefined;
  if (extend === undefined) return undefined;
  // What is not extended is not extended by anything.
  if (by !== BY || extend === 0) return { extend, rest: words.slice(2) };
  const extendBy = amount.parse(much);
  const isRead = extendBy !== undefined && (extendBy > 0 || options.canBeNone);
  return isRead ? { extend, extendBy, rest: more } : undefined;
}

/** What is wrong with words that begin with `extend`, in a sentence that says what to write. */
export function whyNoExtension(
  words: readonly string[],
  amount: Amount,
  options: ExtensionOptions = {},
): string {
  const [, often, , much] = words;
  const times = timesOf(options);
  if (often === undefined || times.parse(often) === undefined)
    return `${EXTEND} needs how often, ${times.allowed}${notThis(often)}.`;
  return `${BY} needs ${amount.short}${options.canBeNone ? "" : " above 0"}${notThis(much)}.`;
}

/** What is wrong with a `by` that does not follow `extend`. */
export function whyNoBy(amount: Amount): string {
  return `${BY} follows ${EXTEND} and how often, as in ${EXTEND} 3 ${BY} ${amount.example}.`;
}

const TIMES_OR_NONE = counted(0);

function timesOf({ canBeNone }: ExtensionOptions): Amount {
  return canBeNone ? TIMES_OR_NONE : TIMES;
}

function notThis(word: string | undefined): string {
  return word === undefined ? "" : `, not ${JSON.stringify(word)}`;
}
