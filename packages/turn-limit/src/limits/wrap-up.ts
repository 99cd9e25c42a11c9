import { anyFunction, type Check, check, count, object, optional, text } from "../checks.ts";
import { type Max, wholeMax } from "./max.ts";

/** What the model is told when it has to come to an end. */
export const DEFAULT_WRAP_UP_MESSAGE =
  "Wrap up now. Stop working and deliver your answer: do not call any more tools. Say what is done, what is left " +
  "to do, and what you have found so far, even if it is incomplete.";

/** How a wrap-up is worded and timed. */
export interface WrapUpOptions {
  /** Replaces {@link DEFAULT_WRAP_UP_MESSAGE}. A function is called only when the message is sent. */
  message?: string | (() => string);
  /** A grace that changes, asked at each check, so it must be cheap. Clamped to what the limit leaves room for. */
  grace?: () => number | undefined;
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

/**
 * Tells the model once, `grace` turns before a hard limit, to stop working and deliver.
 *
 * @example
 * const wrapUp = GracefulTurnLimit.fromHardCap(25, 3);
 * // after each turn:
 * wrapUp?.turnEnded();
 * // before the next one, if there is going to be one:
 * messages.push(...(wrapUp?.nextMessages() ?? []));
 */
export class GracefulTurnLimit {
  readonly #max: number;
  readonly #grace: number;
  readonly #options: WrapUpOptions;
  #completed = 0;
  #fired = false;

  private constructor(max: number, grace: number, options: WrapUpOptions) {
    this.#max = max;
    this.#grace = grace;
    this.#options = options;
  }

  /** A wrap-up for a limit of `max` turns, or `undefined` if `grace` is 0 or leaves no turn to work in. */
  static fromHardCap(max: Max, grace: number, options: WrapUpOptions = {}): GracefulTurnLimit | undefined {
    wholeMax()(max, "turns.max");
    count()(grace, "turns.grace");
    const checked = requireWrapUpOptions(options, "turns.wrapUp");
    return hasRoom(max, grace) ? new GracefulTurnLimit(max, grace, checked) : undefined;
  }

  /** After how many completed turns the model is told. */
  get softLimit(): number {
    return softLimit(this.#max, this.#grace, this.#options.grace?.());
  }

  /** Was the model told in this round? */
  get fired(): boolean {
    return this.#fired;
  }

  /** A turn was answered. */
  turnEnded(): void {
    this.#completed += 1;
  }

  /** What to tell the model before its next turn: the wrap-up message when it is due, else nothing. */
  nextMessages(): string[] {
    if (this.#fired || this.#completed < this.softLimit) return [];
    const message = wrapUpMessage(this.#options);
    this.#fired = true;
    return [message];
  }

  /** A new round: arms the wrap-up again. */
  reset(): void {
    this.#completed = 0;
    this.#fired = false;
  }
}

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
