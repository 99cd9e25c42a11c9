import type { Outcome } from "../core/governor/outcome.ts";
import type { GovernorSettings } from "../core/governor/settings.ts";
import { countsAs } from "../core/history/past-run.ts";
import type { SettingsFromHistory, WantedLimit } from "../core/history/percentile-settings.ts";
import type { Totals } from "../core/meter/meter.ts";
import type { History } from "./history.ts";
import type { TimedEngine } from "./timed-engine.ts";
import { untilAborted } from "./until-aborted.ts";
import type { Warnings } from "./warnings.ts";

/** Where a run takes limits from what earlier runs took, and leaves what it took. */
export class HistoryPort {
  readonly #history: History;
  readonly #engine: TimedEngine;
  readonly #warnings: Warnings;
  /** Other limits hold from now on. */
  readonly #change: (settings: GovernorSettings) => void;
  #limits: readonly WantedLimit[];
  /** Those of them that are still to be chosen for this run. */
  #open: readonly WantedLimit[] = [];
  #choosing: Promise<void> | undefined;
  #remembering: Promise<void> | undefined;

  constructor(
    history: History,
    limits: readonly WantedLimit[],
    engine: TimedEngine,
    warnings: Warnings,
    change: (settings: GovernorSettings) => void,
  ) {
    this.#history = history;
    this.#limits = limits;
    this.#engine = engine;
    this.#warnings = warnings;
    this.#change = change;
  }

  /** A run begins: its limits are chosen before its first turn. */
  begin(): void {
    this.#choose(this.#limits);
  }

  /** Must the next turn wait for that? */
  get isChoosing(): boolean {
    return this.#choosing !== undefined;
  }

  async untilChosen(signal: AbortSignal | undefined): Promise<void> {
    while (this.#choosing && !signal?.aborted)
      await (signal ? untilAborted(signal, this.#choosing, () => undefined) : this.#choosing);
  }

  /** Reads settings that are to hold from now on. Once they do, {@link changed} has to be called. */
  read(settings: SettingsFromHistory): { settings: GovernorSettings; changed(): void } {
    const read = this.#history.readAgain(settings, this.#limits, this.#engine.facts.settings);
    return {
      settings: read.settings,
      changed: () => {
        const known = this.#limits.filter((limit) => !this.#open.includes(limit));
        this.#limits = read.limits;
        // Between two runs nothing is chosen: the next one does.
        if (this.#engine.facts.status === "idle") return;
        this.#choose(read.limits.filter((limit) => !known.includes(limit)));
      },
    };
  }

  /** The run is over. `took`: what is kept of it, if anything is. */
  ended(outcome: Outcome, took: Totals | undefined): void {
    this.#open = [];
    this.#choosing = undefined;
    const end = countsAs(outcome);
    if (!took || end === undefined || took.requests === 0) return;
    const remembering = this.#history.remember({ end, took }, this.#warnings).then(() => {
      if (this.#remembering === remembering) this.#remembering = undefined;
    });
    this.#remembering = remembering;
  }

  /** Resolves when what it took is kept; `undefined` if there is nothing to wait for. */
  done(): Promise<void> | undefined {
    return this.#remembering;
  }

  #choose(limits: readonly WantedLimit[]): void {
    this.#open = limits;
    this.#choosing = undefined;
    if (limits.length === 0) return;
    const choosing = this.#history.choose(limits, this.#warnings).then((maxima) => {
      // Meanwhile the run ended, or was given other limits.
      if (this.#choosing !== choosing) return;
      this.#open = [];
      this.#choosing = undefined;
      this.#change(this.#history.withMaxima(this.#engine.facts.settings, maxima));
    });
    this.#choosing = choosing;
  }
}
