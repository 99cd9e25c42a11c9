// A timer cannot be set to more than this.
const LONGEST = 2 ** 31 - 1;
const TICK = 1_000;

/** What is to happen while time passes. */
export interface TimeEvents {
  /** The time is up. */
  up(): void;
  /** Another second has passed. */
  ticks?(): void;
}

/** Goes off when the time is up, in the middle of whatever the agent does. */
export class TimeWatch {
  #timer: NodeJS.Timeout | undefined;
  #ticker: NodeJS.Timeout | undefined;

  /** It goes off after so many milliseconds; never, if there is no time limit. */
  set(milliseconds: number | undefined, { up, ticks }: TimeEvents): void {
    this.off();
    if (milliseconds === undefined) return;
    // Keeps Pi alive: a tool that waits for nothing in particular would let it end before the time is up.
    this.#timer = setTimeout(up, Math.min(milliseconds, LONGEST));
    if (ticks) this.#ticker = setInterval(ticks, TICK).unref();
  }

  off(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#ticker);
  }
}
