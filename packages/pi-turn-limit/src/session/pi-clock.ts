import type { Clock } from "turn-limit/adapter";

// A timer cannot be set to more than this.
const LONGEST = 2 ** 31 - 1;

/** The system's clock, whose timers keep Pi alive: a tool that waits for nothing in particular would let it end early. */
export const piClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, LONGEST));
    return () => clearTimeout(timer);
  },
};
