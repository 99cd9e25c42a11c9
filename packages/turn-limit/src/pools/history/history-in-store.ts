import { InvalidLimit } from "../../core/errors/invalid-limit.ts";
import { messageOf } from "../../core/errors/message-of.ts";
import type { CompleteSettings } from "../../core/governor/settings.ts";
import { choiceFrom, choiceText } from "../../core/history/choice.ts";
import { type PastRun, pastRun } from "../../core/history/past-run.ts";
import {
  type LimitMaximum,
  maximumIn,
  percentilesIn,
  type SettingsFromHistory,
  type WantedLimit,
  withMaxima,
} from "../../core/history/percentile-settings.ts";
import { labelOf, type Max } from "../../core/limits/boundary.ts";
import { phrase } from "../../core/words.ts";
import type { History, ReadSettings, TellPerson } from "../../run/history.ts";
import type { Store } from "../ledger/store.ts";

/** How many milliseconds a run waits for the store: before its first turn, and when it is over. */
const PATIENCE = 2_000;
/** How many milliseconds later a store that failed is used again: until then no run waits for it. */
const AFTER_FAILURE = 20_000;

/** The runs of one agent in a store. One that fails means that the defaults hold, and holds up no run. */
export class HistoryInStore implements History {
  readonly withMaxima = withMaxima;
  readonly #open: () => Promise<Store>;
  readonly #agent: string;
  /** What is being kept. Who chooses meanwhile waits for it. */
  readonly #keeping = new Set<Promise<void>>();
  /** What was told last of each limit, by who was told it. */
  readonly #told = new WeakMap<object, Map<string, string>>();
  #failed: { readonly why: string; readonly until: number } | undefined;

  constructor(open: () => Promise<Store>, agent: string) {
    this.#open = open;
    this.#agent = agent;
  }

  read(settings: SettingsFromHistory): ReadSettings {
    const limits = percentilesIn(settings);
    return { settings: withMaxima(settings, limits.map(otherwise)), limits };
  }

  readAgain(
    settings: SettingsFromHistory,
    before: readonly WantedLimit[],
    inForce: CompleteSettings,
  ): ReadSettings {
    const wanted = percentilesIn(settings).map(
      (limit) => before.find((known) => known.text === limit.text && isSame(known, limit)) ?? limit,
    );
    const asNumbers = before.filter(
      (known) =>
        !wanted.some((limit) => isSame(known, limit)) &&
        maximumIn(settings, known.identity) === maximumIn(inForce, known.identity),
    );
    const maxima = wanted.map((limit) =>
      before.includes(limit)
        ? { identity: limit.identity, max: maximumIn(inForce, limit.identity) as Max }
        : otherwise(limit),
    );
    return { settings: withMaxima(settings, maxima), limits: [...wanted, ...asNumbers] };
  }

  async choose(limits: readonly WantedLimit[], person: TellPerson): Promise<LimitMaximum[]> {
    const runs = await this.#use(async (store) => {
      await Promise.all(this.#keeping);
      return whole(await store.pastRuns(this.#agent));
    }).catch(messageOf);
    return limits.map((limit) => {
      const { identity, percentile, otherwise } = limit;
      const { max, why } =
        typeof runs === "string"
          ? { max: undefined, why: `p${percentile.of} is not known: ${phrase(runs)}` }
          : choiceFrom(runs, limit, ` of ${this.#agent}`);
      const what = max ?? (typeof runs === "string" ? "failed" : "too few");
      this.#tellOnce(person, limit, String(what), () => choiceText(identity, max ?? otherwise, why));
      return { identity, max: max ?? otherwise };
    });
  }

  async remember({ end, took }: PastRun, person: TellPerson): Promise<void> {
    // It was told already that the store cannot be used.
    if (this.#failure !== undefined) return;
    const run = { id: crypto.randomUUID(), agent: this.#agent, end, took };
    const kept = this.#use((store) => store.remember(run)).catch((error) =>
      person.warn(`What a run took is not kept in its history: ${messageOf(error)}`),
    );
    this.#keeping.add(kept);
    await kept;
    this.#keeping.delete(kept);
  }

  /** Does this with the store, and waits no longer than it should for it. */
  async #use<Result>(what: (store: Store) => Promise<Result>): Promise<Result> {
    if (this.#failure !== undefined) throw new Error(this.#failure);
    try {
      const result = await inTime(this.#open().then(what));
      this.#failed = undefined;
      return result;
    } catch (error) {
      this.#failed = { why: messageOf(error), until: Date.now() + AFTER_FAILURE };
      throw error;
    }
  }

  /** Why the store is not used for now, if it is not. */
  get #failure(): string | undefined {
    return this.#failed && Date.now() < this.#failed.until ? this.#failed.why : undefined;
  }

  // In every run it would be the same sentence.
  #tellOnce(person: TellPerson, { identity, text }: WantedLimit, what: string, words: () => string): void {
    const known = this.#told.get(person.told) ?? new Map<string, string>();
    this.#told.set(person.told, known);
    const limit = `${labelOf(identity)} ${text}`;
    if (known.get(limit) === what) return;
    known.set(limit, what);
    person.warn(words());
  }
}

function otherwise({ identity, otherwise: max }: WantedLimit): LimitMaximum {
  return { identity, max };
}

function isSame(one: WantedLimit, other: WantedLimit): boolean {
  return labelOf(one.identity) === labelOf(other.identity);
}

/** Runs without those that are damaged, also of a store that does not look. */
function whole(runs: unknown): PastRun[] {
  if (!Array.isArray(runs)) throw new InvalidLimit("store.pastRuns()", runs, "a list of runs");
  return runs.flatMap((run) => pastRun(run) ?? []);
}

function inTime<Result>(answer: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the store does not answer.")), PATIENCE);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
