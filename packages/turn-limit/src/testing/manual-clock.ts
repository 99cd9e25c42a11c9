import { setImmediate } from "node:timers/promises";
import type { Clock } from "../driver/clock.ts";

/** A clock that a test moves by hand. Its timers go off when it reaches them. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ at: number; callback: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets this many milliseconds pass. */
  pass(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }

  /** Waits until other pending work is done, lets this many milliseconds pass, and never resolves. */
  async hang(ms: number): Promise<never> {
    await setImmediate();
    this.pass(ms);
    return new Promise(() => {});
  }
}
