import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../src/adapters/shared/Clock.ts";

/** A clock that a test sets. Its timers go off when it does. */
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

  /** Lets so many milliseconds pass. */
  pass(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }

  /** Lets so many milliseconds pass once whatever is going on has come to rest, and never answers. */
  async hang(ms: number): Promise<never> {
    await setImmediate();
    this.pass(ms);
    return new Promise(() => {});
  }
}
