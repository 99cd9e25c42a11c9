/** What time it is, and a timer: for time limits. */
export interface Clock {
  /** Milliseconds, counted from any moment. */
  now(): number;
  /** Calls back once so many milliseconds have passed; what it returns cancels that. */
  after(ms: number, callback: () => void): () => void;
}

/** The most milliseconds that a timer can be set to. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** The system's clock. Its timers do not keep a process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, LONGEST_TIMER));
    if (typeof timer === "object") timer.unref();
    return () => clearTimeout(timer);
  },
};
