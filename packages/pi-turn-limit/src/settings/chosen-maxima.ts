import type { ExtensionAPI, SessionEntry } from "@earendil-works/pi-coding-agent";
import type { Max } from "turn-limit";
import { choiceFrom, isPercentile, maximumWithoutRuns, type PastRun, parsePercentile } from "../core.ts";
import { identityOf, type PiLimit, pathOf } from "../limits/pi-limit.ts";
import {
  completed,
  type Entry,
  isObject,
  limitsIn,
  merged,
  pathTo,
  type Settings,
  settingsFrom,
  valueAt,
  valueFor,
} from "./settings.ts";

/** The kind of session entry in which is kept what was chosen. */
export const CHOSEN_ENTRY = "turn-limit:chosen";

/** What a percentile came to: a maximum, or none because there are too few runs. */
interface Choice {
  readonly max?: number;
  /** Of how much, in words: `p90 of your last 120 runs`. */
  readonly said: string;
}

/**
 * Which maximums were chosen from what the person's own runs took. Each is chosen once in a session, and kept in it, so that
 * it stays the same over prompts, `/reload` and `/resume`, until the limit is set again.
 */
export class ChosenMaxima {
  readonly #pi: Pick<ExtensionAPI, "appendEntry">;
  readonly #pastRuns: () => Promise<readonly PastRun[]>;
  readonly #choices = new Map<string, Choice>();
  /** What was open of which settings, when it was last asked: that is before every request. */
  #open: { readonly settings: Settings; readonly limits: readonly PiLimit[] } | undefined;

  /** `pastRuns` is called only when there is something to choose. */
  constructor(pi: Pick<ExtensionAPI, "appendEntry">, pastRuns: () => Promise<readonly PastRun[]>) {
    this.#pi = pi;
    this.#pastRuns = pastRuns;
  }

  /** Takes what is kept in a session. */
  recall(entries: readonly SessionEntry[]): void {
    this.#open = undefined;
    for (const entry of entries) {
      if (entry.type !== "custom" || entry.customType !== CHOSEN_ENTRY || !isObject(entry.data)) continue;
      const { limit, wanted, max, said } = entry.data;
      const isMax = max === undefined || (typeof max === "number" && Number.isFinite(max) && max >= 0);
      if (typeof limit !== "string" || !isPercentile(wanted) || typeof said !== "string" || !isMax) continue;
      this.#choices.set(keyOf(limit, wanted), { said, ...(max !== undefined && { max }) });
    }
  }

  /** The settings with numbers in place of percentiles. `otherwise`: what holds of a limit for which there is none. */
  resolved(settings: Settings, otherwise: (limit: PiLimit) => Max): Settings {
    const chosen = percentilesIn(settings).map(({ limit, wanted }): Entry => {
      const { max } = this.#choices.get(keyOf(limit.key, wanted)) ?? {};
      const percentile = parsePercentile(wanted, limit.settings.max.amount) ?? {};
      return [pathTo(limit, "max"), max ?? maximumWithoutRuns(otherwise(limit), percentile)];
    });
    return chosen.length === 0 ? settings : completed(merged(settings, settingsFrom(chosen)));
  }

  /** What a percentile of this limit came to, in words. */
  saidOf(settings: Settings, limit: PiLimit): string | undefined {
    const wanted = valueFor(settings, limit);
    if (!isPercentile(wanted)) return undefined;
    return this.#choices.get(keyOf(limit.key, wanted))?.said ?? wanted;
  }

  /** Were there too few runs to choose this limit? */
  hadTooFewRuns(settings: Settings, limit: PiLimit): boolean {
    const wanted = valueFor(settings, limit);
    const choice = isPercentile(wanted) ? this.#choices.get(keyOf(limit.key, wanted)) : undefined;
    return choice !== undefined && choice.max === undefined;
  }

  /** The limits of which something is still to be chosen. */
  open(settings: Settings): readonly PiLimit[] {
    if (this.#open?.settings !== settings) {
      const wanted = percentilesIn(settings);
      const open = wanted.filter((one) => !this.#choices.has(keyOf(one.limit.key, one.wanted)));
      this.#open = { settings, limits: open.map(({ limit }) => limit) };
    }
    return this.#open.limits;
  }

  /** Chooses for these limits, also where that was done before. `settings`: all that hold with them. */
  async choose(limits: readonly PiLimit[], settings: Settings): Promise<void> {
    const wanted = percentilesIn(settings).filter(({ limit }) => limits.some(({ key }) => key === limit.key));
    if (wanted.length === 0) return;
    // What cannot be read is no history.
    const runs = await this.#pastRuns().catch((): PastRun[] => []);
    for (const one of wanted) this.#keep(one, choiceOf(one, settings, runs));
  }

  #keep({ limit, wanted }: Wanted, choice: Choice): void {
    this.#open = undefined;
    this.#choices.set(keyOf(limit.key, wanted), choice);
    this.#pi.appendEntry(CHOSEN_ENTRY, { limit: limit.key, wanted, ...choice });
  }
}

interface Wanted {
  readonly limit: PiLimit;
  readonly wanted: string;
}

/** The limits whose maximum is a percentile. */
function percentilesIn(settings: Settings): Wanted[] {
  return limitsIn(settings).flatMap((limit) => {
    const wanted = valueFor(settings, limit);
    return isPercentile(wanted) ? [{ limit, wanted }] : [];
  });
}

function keyOf(limit: string, wanted: string): string {
  return `${limit} ${wanted}`;
}

function choiceOf({ limit, wanted }: Wanted, settings: Settings, runs: readonly PastRun[]): Choice {
  const percentile = parsePercentile(wanted, limit.settings.max.amount);
  if (!percentile) return { said: wanted };
  const given = valueAt(settings, pathOf(limit));
  const options = isObject(given) ? given : {};
  const { max, why } = choiceFrom(runs, { identity: identityOf(limit), percentile, options });
  return { said: why, ...(max !== undefined && { max }) };
}
