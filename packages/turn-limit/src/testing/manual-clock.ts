import { setImmediate } from "node:timers/promises";
import type { Clock } from "../run/clock.ts";

interface Timer {
  at: number;
  callback: () => void;
}

/**
 * A clock that a test moves by hand. Its timers go off when it reaches them, in order, each at its own time.
 *
 * @example
 * const clock = new ManualClock();
 * const limits = limitLoop({ time: 5_000, clock });
 * clock.pass(5_000); // the time is up
 */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  /** A clock that shows this many milliseconds. */
  constructor(now = 0) {
    this.#now = now;
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** What the clock shows, in milliseconds. */
  now(): number {
    return this.#now;
  }

  /** Sets a timer; what it returns cancels it. */
  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets this many milliseconds pass. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#now = Math.max(this.#now, timer.at);
      this.#timers.delete(timer);
      timer.callback();
    }
    this.#now = end;
  }

  /** Waits until other pending work is done, lets this many milliseconds pass, and never resolves. */
  async hang(ms: number): Promise<never> {
    await setImmediate();
    this.pass(ms);
    return new Promise(() => {});
  }

  #next(end: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    return due.sort((one, other) => one.at - other.at)[0];
  }
}
