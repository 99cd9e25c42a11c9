import type { Decide, OnExhausted } from "../limits/policy.ts";
import { isPassed, shareOf, type TellMessage, type ToldLimit } from "../limits/tell.ts";
import { exact } from "../meter/usage.ts";
import { toldText } from "../words.ts";
import type { Budget } from "./budget.ts";
import type { CompleteSettings } from "./settings.ts";

/** What a request told of one limit: the share that had been told of it before, and the one that was told now. */
export type ToldShare = readonly [limit: string, before: number, now: number];

/** What a request told, and how many rounds had begun by then. */
export interface ToldShares {
  readonly rounds: number;
  readonly shares: readonly ToldShare[];
}

/** What the model is told in a request, and of which shares of which limits that is. */
export interface Told extends ToldShares {
  readonly text: string;
}

/** Of which share of which limit the model was told, in percent, and how many rounds of limits have begun. */
export interface TellingState {
  rounds: number;
  shares: [limit: string, share: number][];
}

/** Is told why what was given as `tell.message` has no words. */
export type WordsFailed = (error: unknown) => void;

/** Of which share of each limit the model was told in this round: it is told of each share once. */
export class Telling {
  /** By the names of the limits, in percent. */
  readonly #shares: Map<string, number>;
  #rounds: number;

  constructor({ rounds, shares }: TellingState = { rounds: 0, shares: [] }) {
    this.#shares = new Map(shares);
    this.#rounds = rounds;
  }

  /** What the model has to be told in the request that has begun, if anything. It counts as told. */
  take(
    budgets: readonly Budget[],
    settings: CompleteSettings,
    decide: Decide,
    mayExtend: (budget: Budget) => boolean,
    isUnpriced: boolean,
    wordsFailed?: WordsFailed,
  ): Told | undefined {
    const { tell } = settings;
    if (tell === false) return undefined;
    const limits: ToldLimit[] = [];
    const shares: ToldShare[] = [];
    for (const budget of budgets) {
      const nearest = budget.nearest;
      if (!nearest) continue;
      const before = this.#shares.get(budget.name) ?? 0;
      const now = shareOf(nearest.used, nearest.max);
      if (tell.at !== "every turn" && !isPassed(tell.at, before, now)) continue;
      const { used, max } = nearest;
      const action = decide(budget.limit) as OnExhausted | "decline";
      limits.push({
        ...nearest,
        ...(isUnpriced && nearest.identity.kind === "cost" && { unpriced: true }),
        left: exact(Math.max(0, max - used)),
        share: now,
        end: action === "decline" ? "stop" : action,
        ...(mayExtend(budget) && { mayExtend: true }),
      });
      shares.push([budget.name, before, now]);
    }
    if (limits.length === 0) return undefined;
    const text = worded(limits, tell.message, wordsFailed);
    for (const [limit, , now] of shares) this.#shares.set(limit, now);
    return text === "" ? undefined : { text, shares, rounds: this.#rounds };
  }

  /** The model has not read it: it is told again, unless a new round has begun since. */
  takeBack({ rounds, shares }: ToldShares): void {
    if (rounds !== this.#rounds) return;
    for (const [limit, before, now] of shares)
      if (this.#shares.get(limit) === now) this.#shares.set(limit, before);
  }

  /** A new round of the limit begins. */
  startOver(limit: string): void {
    this.#shares.delete(limit);
    this.#rounds += 1;
  }

  /** The limit admits more: of shares that are not reached any more the model is told again. */
  moreIsAdmitted({ name, nearest }: Budget): void {
    const told = this.#shares.get(name);
    if (told === undefined) return;
    this.#shares.set(name, nearest ? Math.min(told, shareOf(nearest.used, nearest.max)) : 0);
  }

  toState(): TellingState {
    return { rounds: this.#rounds, shares: [...this.#shares] };
  }
}

// Where somebody can be told that there are no other words, the usual ones are said. Else it is an error.
function worded(
  limits: readonly ToldLimit[],
  message: TellMessage | undefined,
  failed: WordsFailed | undefined,
): string {
  if (!failed) return toldText(limits, message);
  try {
    return toldText(limits, message);
  } catch (error) {
    failed(error);
    return toldText(limits);
  }
}
