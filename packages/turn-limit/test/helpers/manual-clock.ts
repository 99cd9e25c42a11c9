import type { Clock } from "../../src/driver/clock.ts";

/** A clock that a test sets. Its timers go off when it does, each at its time. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ at: number; callback: () => void }>();

  constructor(now = 1_000) {
    this.#now = now;
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size;
  }

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
    const end = this.#now + ms;
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#now = Math.max(this.#now, timer.at);
      this.#timers.delete(timer);
      timer.callback();
    }
    this.#now = end;
  }

  #next(end: number): { at: number; callback: () => void } | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= end);
    return due.sort((one, other) => one.at - other.at)[0];
  }
}
