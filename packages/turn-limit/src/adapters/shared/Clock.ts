/** What time it is, and a timer: for time limits. */
export interface Clock {
  /** Milliseconds since whenever. */
  now(): number;
  /** Calls back once so many milliseconds have passed; what it returns calls that off. */
  after(ms: number, callback: () => void): () => void;
}

// A timer cannot be set to more than this.
const LONGEST = 2 ** 31 - 1;

/** The clock on the wall. Its timers do not keep a process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, LONGEST));
    if (typeof timer === "object") timer.unref();
    return () => clearTimeout(timer);
  },
};
