import { Engine, type GovernorOptions } from "../core/governor/engine.ts";
import type { Clock } from "./clock.ts";

/** What decides about a run, with a clock: it can be told what time it is. */
export class TimedEngine extends Engine {
  readonly clock: Clock;
  /** Will only what comes next show whether the run works or waits for a person? Until then no time passes. */
  isUndecided = false;

  constructor(options: GovernorOptions, clock: Clock) {
    super(options);
    this.clock = clock;
  }

  /** Brings the time up to date. To be called before each event. */
  tellTime(): void {
    if (!this.isUndecided) this.timeIs(this.clock.now());
  }
}
