import { type Clock, systemClock } from "../../run/clock.ts";

/** A clock whose timers do not go off while it is paused. One that would have goes off when the pause is over. */
export class PausableClock implements Clock {
  readonly #clock: Clock;
  readonly #late = new Set<() => void>();
  #paused = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, callback: () => void): () => void {
    const cancel = this.#clock.after(ms, () => {
      if (this.#paused) this.#late.add(callback);
      else callback();
    });
    return () => {
      cancel();
      this.#late.delete(callback);
    };
  }

  pause(): void {
    this.#paused = true;
  }

  unpause(): void {
    this.#paused = false;
    const late = [...this.#late];
    this.#late.clear();
    for (const callback of late) callback();
  }
}
