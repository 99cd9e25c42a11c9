import { anyFunction, isPlainObject } from "../core/checks.ts";
import { InvalidLimit, unknownSetting } from "../core/errors/invalid-limit.ts";
import type { CheckProgress, Verdict } from "../core/governor/decision.ts";
import type { Clock } from "./clock.ts";
import type { RunInfo } from "./run-info.ts";
import { untilAborted } from "./until-aborted.ts";
import type { Warnings } from "./warnings.ts";

/**
 * Did the run get somewhere since the round of this limit began? A text says that it did, and what it was: `3 files
 * changed`. Throwing is a no. The signal is aborted when the answer would no longer decide anything.
 */
export type FindProgress = (
  run: RunInfo,
  boundary: CheckProgress,
  signal: AbortSignal,
) => boolean | string | undefined | Promise<boolean | string | undefined>;

/** Finds out whether a run got somewhere, from what it sees before each turn. */
export interface ProgressWatch {
  /** A turn is about to begin, which waits for this. `turns`: how many of the run's have begun so far. */
  turnComes(run: RunInfo, signal: AbortSignal, turns: number): void | Promise<void>;
  /** The same as the function. It is called after {@link turnComes}, before the same turn. */
  find: FindProgress;
}

/** How long may it take to find out whether a run got somewhere, in milliseconds? After that, it did not. */
export const LONGEST_CHECK = 300_000;

/** Finds out whether a run got somewhere, by what the host says. */
export class Progress {
  readonly #watch: Partial<ProgressWatch>;
  readonly #clock: Clock;
  readonly #timeLeft: () => number | undefined;
  readonly #warnings: Warnings;

  /** `timeLeft`: how much of its time the run has left, if that is limited. */
  constructor(
    given: FindProgress | ProgressWatch | undefined,
    clock: Clock,
    timeLeft: () => number | undefined,
    warnings: Warnings,
  ) {
    this.#watch = typeof given === "function" ? { find: given } : (given ?? {});
    this.#clock = clock;
    this.#timeLeft = timeLeft;
    this.#warnings = warnings;
  }

  /** Is there something to be seen before each turn? */
  get watches(): boolean {
    return this.#watch.turnComes !== undefined;
  }

  /** A turn is about to begin. One that is no longer wanted does not wait. */
  async turnComes(run: RunInfo, signal: AbortSignal | undefined, turns: number): Promise<void> {
    await this.#inTime(signal ?? new AbortController().signal, undefined, async (over) => {
      await this.#watch.turnComes?.(run, over, turns);
      return undefined;
    });
  }

  /** What was found. Failing to find out, or taking too long, is no progress. */
  verdict(boundary: CheckProgress, signal: AbortSignal, run: RunInfo): Promise<Verdict> {
    return this.#inTime<Verdict>(signal, false, async (over) => {
      const found = await this.#watch.find?.(run, { ...boundary }, over);
      if (typeof found === "boolean" || found === undefined) return found ?? false;
      if (typeof found === "string" && found.trim() !== "") return { progress: found };
      throw new InvalidLimit("what it returned", found, "true, false, or a text that says what progress was");
    });
  }

  async #inTime<Found>(
    signal: AbortSignal,
    otherwise: Found,
    find: (over: AbortSignal) => Promise<Found>,
  ): Promise<Found> {
    const late = new AbortController();
    // A limit that is used up already may be the one that is to be extended. Another one says by itself that the time is up.
    const left = this.#timeLeft() || LONGEST_CHECK;
    const cancel = this.#clock.after(Math.min(left, LONGEST_CHECK), () => {
      if (left >= LONGEST_CHECK) this.#warn(`took longer than ${LONGEST_CHECK / 60_000} minutes`);
      late.abort();
    });
    const over = AbortSignal.any([signal, late.signal]);
    const found = find(over).catch((error) => {
      // One that is not wanted any more may well end with an error.
      if (!over.aborted) this.#warn(`threw: ${error}`);
      return otherwise;
    });
    try {
      return await untilAborted(over, found, () => otherwise);
    } finally {
      cancel();
    }
  }

  #warn(what: string): void {
    this.#warnings.warn(`progress ${what}. It is taken for no progress.`);
  }
}

const WATCH = ["turnComes", "find"];

/** Checks what was given as `progress`. */
export function requireProgress(given: unknown): FindProgress | ProgressWatch | undefined {
  if (given === undefined || typeof given === "function") return given as FindProgress | undefined;
  if (typeof given !== "object" || given === null || typeof Object(given).find !== "function")
    throw new InvalidLimit("progress", given, "a function, or what turn-limit/progress makes");
  if (isPlainObject(given))
    for (const name of Object.keys(given))
      if (!WATCH.includes(name)) throw unknownSetting(`progress.${name}`, given[name], WATCH);
  anyFunction(Object(given).turnComes, "progress.turnComes");
  return given as ProgressWatch;
}
