import type { Outcome } from "../../core/governor/outcome.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { Run, type RunHost } from "../../run/run.ts";

/** How runs ended, by what the host returned for each of them. */
export class Outcomes {
  readonly #ofResult = new WeakMap<object, () => Outcome | undefined>();
  /** How the last run ended; `undefined` while one is under way, and before the first. */
  last: Outcome | undefined;

  /** A run of which the outcome is to be known, also to the caller's `onOutcome`. It is the last one from now on. */
  newRun(options: AdapterOptions, host?: RunHost): Run {
    this.last = undefined;
    const onOutcome: AdapterOptions["onOutcome"] = (outcome, run) => {
      this.last = outcome;
      options.onOutcome?.(outcome, run);
    };
    return new Run({ ...options, onOutcome }, host);
  }

  /** This is what the host returned for a run. How that ended may be known only later. */
  keep<Result extends object>(result: Result, outcome: () => Outcome | undefined): Result {
    this.#ofResult.set(result, outcome);
    return result;
  }

  /** How the run ended that the host returned this for; `undefined` if it has not ended, or is not one of ours. */
  of(result: unknown): Outcome | undefined {
    return typeof result === "object" && result !== null ? this.#ofResult.get(result)?.() : undefined;
  }
}
