import { DURATION } from "../../core/text/amounts.ts";
import { LONGEST_TIMER } from "../../run/clock.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { FindProgress, ProgressWatch } from "../../run/progress.ts";
import { untilAborted } from "../../run/until-aborted.ts";
import type { Warnings } from "../../run/warnings.ts";

/**
 * Finds out whether the run got somewhere while a request is held for it. Progress and the question behind it share the time
 * that the agent waits.
 */
export class HeldProgress {
  /** The same, with an end. */
  readonly progress: AdapterOptions["progress"];
  readonly #most: number;
  readonly #warnings: Warnings;
  /** For how many milliseconds the request was held for it so far. */
  #spent = 0;

  /** `hold`: for how many milliseconds a request is held. `asks`: may a person be asked then? They get half of that at least. */
  constructor(
    given: NonNullable<AdapterOptions["progress"]>,
    hold: number,
    asks: boolean,
    warnings: Warnings,
  ) {
    this.#most = asks ? hold / 2 : hold;
    this.#warnings = warnings;
    const watch: Partial<ProgressWatch> & Pick<ProgressWatch, "find"> =
      typeof given === "function" ? { find: given } : given;
    const find: FindProgress = async (run, boundary, signal) => {
      if (!watch.turnComes) this.#spent = 0;
      const found = await this.#within(signal, async (over) => watch.find(run, boundary, over));
      if (found) this.#spent = 0;
      return found;
    };
    this.progress = watch.turnComes
      ? {
          find,
          turnComes: async (run, signal, turns) => {
            this.#spent = 0;
            await this.#within(signal, async (over) => watch.turnComes?.(run, over, turns));
          },
        }
      : find;
  }

  /** For how many milliseconds the request was held before its question is asked. */
  takeSpent(): number {
    const spent = this.#spent;
    this.#spent = 0;
    return spent;
  }

  async #within<Found>(
    signal: AbortSignal,
    find: (over: AbortSignal) => Promise<Found>,
  ): Promise<Found | undefined> {
    const late = new AbortController();
    const began = performance.now();
    const left = Math.max(0, this.#most - this.#spent);
    const timer = setTimeout(() => late.abort(), Math.min(left, LONGEST_TIMER));
    timer.unref();
    const found = find(AbortSignal.any([signal, late.signal]));
    // What is cut off may well end with an error.
    found.catch(() => undefined);
    try {
      return await untilAborted(late.signal, found, () => {
        this.#warnings.warn(
          `progress took longer than ${DURATION.show(this.#most)}, and a request is not held for longer. It is taken for no progress.`,
        );
        return undefined;
      });
    } finally {
      clearTimeout(timer);
      this.#spent += performance.now() - began;
    }
  }
}
