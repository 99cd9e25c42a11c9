import { check, isPlainObject, object, optional } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { exact } from "../meter/usage.ts";
import type { Boundary } from "./boundary.ts";
import type { OnExhausted } from "./policy.ts";

/** Of which shares of a limit the model is told unless others are set, in percent. */
export const DEFAULT_SHARES: readonly number[] = Object.freeze([80, 90, 95]);

/** A limit as the model is told of it: how much of it is used, and what happens at its end. */
export interface ToldLimit extends Boundary {
  max: number;
  left: number;
  /** The share that is used, in percent. */
  share: number;
  /** What happens when nothing is left, as things stand. */
  end: OnExhausted;
  /** Is there another round before that, if this one got somewhere? */
  mayExtend?: true;
}

/** What makes the line: a function, or a text for one limit with what {@link TellOptions.message} names in braces. */
export type TellMessage = string | ((limits: readonly ToldLimit[]) => string);

/** When the model is told what it has left, and in which words. */
export interface TellOptions {
  /** At which shares of each limit, in percent; or in every turn. Default: {@link DEFAULT_SHARES}. */
  readonly at?: readonly number[] | "every turn" | undefined;
  /**
   * Replaces the line: a function that is given the limits, or a text for one limit with `{limit}`, `{used}`, `{max}`,
   * `{left}`, `{share}` and `{end}` in it. Where the function returns an empty text, nothing is told.
   */
  readonly message?: TellMessage | undefined;
}

/** What `tell` can be set to: on or off, shares in percent, or all of it. */
export type TellSetting = boolean | readonly number[] | "every turn" | TellOptions;

/** The same, complete. */
export type Tell = false | { readonly at: readonly number[] | "every turn"; readonly message?: TellMessage };

/** What a text for a limit can have in it, in braces. */
export const PLACEHOLDERS = ["limit", "used", "max", "left", "share", "end"] as const;

export type Placeholder = (typeof PLACEHOLDERS)[number];

/** What is in braces in such a text. */
export const IN_BRACES = /\{(\w*)\}/g;

const ALLOWED =
  'true, false, "every turn", shares in percent such as [80, 90, 95], or an object with at and message';
const WITH_PLACEHOLDERS = `a function, or a text with at least one of ${PLACEHOLDERS.map((name) => `{${name}}`).join(", ")}`;

const options = object({
  at: optional(requireShares, DEFAULT_SHARES),
  message: optional(check<TellMessage>(isMessage, WITH_PLACEHOLDERS), undefined),
});

/** Checks what `tell` is set to. */
export function requireTell(given: unknown, name: string): Tell {
  if (given === undefined || given === false) return false;
  if (given === true) return { at: DEFAULT_SHARES };
  if (isPlainObject(given)) {
    const { at, message } = options(given, name);
    return { at, ...(message !== undefined && { message }) };
  }
  if (given === "every turn" || Array.isArray(given)) return { at: requireShares(given, name) };
  throw new InvalidLimit(name, given, ALLOWED);
}

/** Is it a share of a limit, in percent? */
export function isShare(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value <= 100;
}

const requireShare = check<number>(isShare, "a share in percent: a number above 0, up to 100");

function requireShares(given: unknown, name: string): readonly number[] | "every turn" {
  if (given === "every turn") return given;
  if (!Array.isArray(given) || given.length === 0)
    throw new InvalidLimit(name, given, 'shares in percent such as [80, 90, 95], or "every turn"');
  const shares = given.map((share, index) => requireShare(share, `${name}[${index}]`));
  return [...new Set(shares)].sort((one, other) => one - other);
}

function isMessage(value: unknown): boolean {
  if (typeof value !== "string") return typeof value === "function";
  const named = [...value.matchAll(IN_BRACES)].map(([, name]) => name);
  return named.length > 0 && named.every((name) => PLACEHOLDERS.some((known) => known === name));
}

/** How much of a maximum is used, in percent. */
export function shareOf(used: number, max: number): number {
  return exact((used / max) * 100);
}

/** Was one of the shares passed between two that were used? */
export function isPassed(shares: readonly number[], before: number, now: number): boolean {
  return shares.some((share) => before < share && share <= now);
}
