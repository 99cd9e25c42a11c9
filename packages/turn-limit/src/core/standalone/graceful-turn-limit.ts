import { count } from "../checks.ts";
import { type Max, wholeMax } from "../limits/boundary.ts";
import {
  hasRoom,
  requireWrapUpOptions,
  softLimit,
  type WrapUpOptions,
  wrapUpMessage,
} from "../limits/wrap-up.ts";

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
