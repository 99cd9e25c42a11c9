import type { Clock } from "turn-limit/adapter";

// A timer cannot be set to more than this.
const LONGEST = 2 ** 31 - 1;
const TICK = 1_000;

/** The clock of a session. While a timer runs, `onTick` is called every second. */
export function piClock(onTick: () => void): Clock {
  return {
    now: () => Date.now(),
    after(ms, callback) {
      // Keeps Pi alive: a tool that waits for nothing in particular would let it end before the time is up.
      const timer = setTimeout(callback, Math.min(ms, LONGEST));
      const ticker = setInterval(onTick, TICK).unref();
      return () => {
        clearTimeout(timer);
        clearInterval(ticker);
      };
    },
  };
}
