import { Engine, type GovernorOptions } from "../core/governor/engine.ts";
import type { Clock } from "./clock.ts";

/** What decides about a run, with a clock: it can be told what time it is. */
export class TimedEngine extends Engine {
  readonly clock: Clock;
  /** Will only what comes next show whether the run works or waits for a person? Until then no time passes. */
  isUndecided = false;
  /** Was it not told at the last event what time it was? */
  #isBehind = false;

  constructor(options: GovernorOptions, clock: Clock) {
    super(options);
    this.clock = clock;
  }

  /** Brings the time up to date. To be called before each event. */
  tellTime(): void {
    this.#isBehind = false;
    if (!this.isUndecided) this.timeIs(this.clock.now());
  }

  /** The same in the middle of a turn, where time goes on as before: only a limit has to know at once how much has passed. */
  tellTimeWithinTurn(): void {
    if (this.needsTime) this.tellTime();
    else this.#isBehind = true;
  }

  /** Tells the time of the last event, if it was not told. */
  catchUp(): void {
    if (this.#isBehind) this.tellTime();
  }
}
