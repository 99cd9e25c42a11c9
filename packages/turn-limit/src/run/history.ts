import type { CompleteSettings, GovernorSettings } from "../core/governor/settings.ts";
import type { PastRun } from "../core/history/past-run.ts";
import type { LimitMaximum, SettingsFromHistory, WantedLimit } from "../core/history/percentile-settings.ts";

/** Settings that were read: percentiles are apart. */
export interface ReadSettings {
  /** With what holds until a maximum is chosen in place of each percentile. */
  readonly settings: GovernorSettings;
  /** Every limit that is a percentile. */
  readonly limits: readonly WantedLimit[];
}

/**
 * What runs of an agent took: limits are chosen from it, and runs that are over are kept in it. It brings the code for
 * percentiles: `historyIn` does.
 */
export interface History {
  /** Reads settings in which maximums may be percentiles. Throws `InvalidLimit`. */
  read(settings: SettingsFromHistory): ReadSettings;
  /**
   * The same while these limits are chosen from, and `inForce` holds: a percentile that is written as before, or stands there
   * as the number that it came to, is the same.
   */
  readAgain(
    settings: SettingsFromHistory,
    limits: readonly WantedLimit[],
    inForce: CompleteSettings,
  ): ReadSettings;
  /** The settings with these maximums. */
  withMaxima<Settings extends SettingsFromHistory>(
    settings: Settings,
    maxima: readonly LimitMaximum[],
  ): Settings & GovernorSettings;
  /** Chooses, and tells what was chosen. Where that is not possible, it tells why, and what holds instead. Never rejects. */
  choose(limits: readonly WantedLimit[], tell: TellPerson): Promise<readonly LimitMaximum[]>;
  /** Keeps what a run took that is over. Tells why, if that is not possible. Never rejects. */
  remember(run: PastRun, tell: TellPerson): Promise<void>;
}

/** Tells a person something. `told` is the same for all runs that tell the same person. */
export interface TellPerson {
  readonly told: object;
  warn(message: string): void;
}
