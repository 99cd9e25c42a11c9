import { type Clock, systemClock } from "../shared/Clock.ts";

/** A clock whose timers go off only while somebody watches it: one that would have is late, and goes off then. */
export class WatchedClock implements Clock {
  readonly #clock: Clock;
  readonly #late = new Set<() => void>();
  #watched = true;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, callback: () => void): () => void {
    const callOff = this.#clock.after(ms, () => {
      if (this.#watched) callback();
      else this.#late.add(callback);
    });
    return () => {
      callOff();
      this.#late.delete(callback);
    };
  }

  set watched(watched: boolean) {
    this.#watched = watched;
    if (!watched) return;
    const late = [...this.#late];
    this.#late.clear();
    for (const callback of late) callback();
  }
}
