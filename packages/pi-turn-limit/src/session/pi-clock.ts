import type { Clock } from "turn-limit/adapter";
import { LONGEST_TIMER } from "../core.ts";

/** The system's clock, whose timers keep Pi alive: a tool that waits for nothing in particular would let it end early. */
export const piClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, LONGEST_TIMER));
    return () => clearTimeout(timer);
  },
};
