import { count, object, optional } from "../checks.ts";
import { DEFAULT_MAX_TURNS, isReached, type Max, wholeMax } from "../limits/boundary.ts";

/** Everything a {@link TurnLimit} knows, as plain data. */
export interface TurnLimitState {
  max: Max;
  used: number;
  completed: number;
  /** What a person allowed for this round instead of `max`. */
  granted?: Max;
}

const requireMax = wholeMax();
const requireState = object({
  max: requireMax,
  used: count(),
  completed: count(),
  granted: optional(requireMax, undefined),
});

/**
 * Counts the turns of a round and says whether one more may begin. For a loop that needs nothing else; a governor
 * counts by itself.
 *
 * @example
 * const turns = new TurnLimit(2);
 * while (!turns.reached) {
 *   turns.begin();
 *   await callTheModel();
 *   turns.complete();
 * }
 */
export class TurnLimit {
  #max: Max;
  #granted: Max | undefined;
  #used = 0;
  #completed = 0;

  constructor(max: Max = DEFAULT_MAX_TURNS) {
    this.#max = requireMax(max, "turns.max");
  }

  /** A limit that continues from a saved state. */
  static from(state: TurnLimitState): TurnLimit {
    const { max, used, completed, granted } = requireState(state, "turns");
    const limit = new TurnLimit(max);
    limit.#used = used;
    limit.#completed = completed;
    limit.#granted = granted;
    return limit;
  }

  /** How many turns a round admits. From unlimited to a number the counter starts over. */
  get max(): Max {
    return this.#max;
  }

  set max(max: Max) {
    const wasUnlimited = this.#max === "unlimited";
    this.#max = requireMax(max, "turns.max");
    this.#granted = undefined;
    if (wasUnlimited && max !== "unlimited") this.restart();
  }

  /** How many turns this round admits: `max`, unless it was granted another number. */
  get maxInForce(): Max {
    return this.#granted ?? this.#max;
  }

  /** Admits another number of turns than `max`, until the counter starts over. */
  grant(turns: Max): void {
    this.#granted = requireMax(turns, "turns.granted");
  }

  /** Turns begun in this round. */
  get used(): number {
    return this.#used;
  }

  /** Turns of this round whose answer arrived. */
  get completed(): number {
    return this.#completed;
  }

  /** Is this the boundary, the moment before a turn the limit does not cover? */
  get reached(): boolean {
    return isReached(this.#used, this.maxInForce);
  }

  /** One more turn begins. */
  begin(): void {
    this.#used += 1;
  }

  /** The turn in flight was answered. A turn that began before the counter was reset belongs to no round. */
  complete(): void {
    if (this.#completed < this.#used) this.#completed += 1;
  }

  /** A new round: the counter is zero. */
  restart(): void {
    this.#granted = undefined;
    this.#used = 0;
    this.#completed = 0;
  }

  toJSON(): TurnLimitState {
    const granted = this.#granted === undefined ? {} : { granted: this.#granted };
    return { max: this.#max, used: this.#used, completed: this.#completed, ...granted };
  }

  toString(): string {
    return `TurnLimit(max=${this.#max})`;
  }
}
