import { anyFunction, type Check, check, object, optional, text } from "../checks.ts";
import type { Max } from "./boundary.ts";

/** What the model is told when it has to come to an end. */
export const DEFAULT_WRAP_UP_MESSAGE =
  "Wrap up now. Stop working and deliver your answer: do not call any more tools. Say what is done, what is left " +
  "to do, and what you have found so far, even if it is incomplete.";

/** How a wrap-up is worded and timed. */
export interface WrapUpOptions {
  /** Replaces {@link DEFAULT_WRAP_UP_MESSAGE}. A function is called only when the message is sent. */
  message?: string | (() => string) | undefined;
  /** A grace that changes, asked at each check, so it must be cheap. Clamped to what the limit leaves room for. */
  grace?: (() => number | undefined) | undefined;
}

export const requireWrapUpOptions = object({
  message: optional(
    check<string | (() => string)>(
      (value) => typeof value === "string" || typeof value === "function",
      "a text, or a function that makes one",
    ),
    undefined,
  ),
  grace: optional(anyFunction as Check<() => number | undefined>, undefined),
}) as Check<WrapUpOptions>;

/** The wrap-up's text, made at the moment it is sent. */
export function wrapUpMessage({ message = DEFAULT_WRAP_UP_MESSAGE }: WrapUpOptions): string {
  return typeof message === "function" ? text(message(), "turns.wrapUp.message") : message;
}

/** Does `grace` leave both a turn to work in and a turn to wrap up in? */
export function hasRoom(max: Max, grace: number): max is number {
  return max !== "unlimited" && grace >= 1 && grace < max;
}

/** The number of completed turns at which the model is told. A dynamic grace is clamped, never refused. */
export function softLimit(max: number, grace: number, dynamic: number | undefined): number {
  const wanted = dynamic === undefined || Number.isNaN(dynamic) ? grace : Math.floor(dynamic);
  return max - Math.min(Math.max(wanted, 1), max - 1);
}
