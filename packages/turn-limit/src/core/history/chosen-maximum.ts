import type { LimitIdentity, Max } from "../limits/boundary.ts";
import { kindOf } from "../limits/kinds.ts";
import { MEASURES } from "../measures/measures.ts";
import { Meter, type Reading } from "../meter/meter.ts";
import type { Percentile } from "../text/percentile.ts";
import type { PastRun } from "./past-run.ts";

/** How many finished runs are needed, and how many of the last runs are looked at. */
export const FEWEST_RUNS = 20;
export const MOST_RUNS = 500;

/** A maximum that was chosen from what runs took. */
export interface ChosenMaximum {
  readonly max: number;
  /** Of how many runs. */
  readonly runs: number;
  /** What the percentile is, where `max` is less because of its `upTo`. */
  readonly uncapped?: number;
  /** The percentile may be higher, because many runs were ended by limits. */
  readonly isAtLeast?: true;
}

/** There are too few runs. */
export interface TooFewRuns {
  readonly finished: number;
}

/** Was a maximum chosen? */
export function isChosen(choice: ChosenMaximum | TooFewRuns): choice is ChosenMaximum {
  return "max" in choice;
}

/** What holds until there are enough runs: the default, and no more than what was set beside the percentile. */
export function maximumWithoutRuns(initial: Max, { upTo }: Pick<Percentile, "upTo">): Max {
  if (upTo === undefined) return initial;
  return initial === "unlimited" ? upTo : Math.min(initial, upTo);
}

/** Can the maximum of this limit be chosen from what runs took? */
export function isOfRuns({ kind, per, pool }: LimitIdentity): boolean {
  return per === undefined && pool === undefined && kind !== "repeats" && kindOf({ kind }) !== undefined;
}

/** One run, as far as one limit is concerned. */
interface Took {
  readonly amount: number;
  readonly isFinished: boolean;
}

/**
 * The maximum that covers a share of the runs. A run that a limit ended would have taken more, nobody knows how much: it
 * counts among those that took at least as much (the estimator of Kaplan and Meier). Were it left out, or counted as if it
 * had finished there, each maximum that is chosen would make the next one smaller.
 */
export function chosenMaximum(
  runs: readonly PastRun[],
  identity: LimitIdentity,
  { of, upTo = Infinity }: Percentile,
  options: object = {},
): ChosenMaximum | TooFewRuns {
  const kind = kindOf(identity);
  const took = kind ? amountsOf(runs.slice(-MOST_RUNS), identity, options) : [];
  const finished = took.filter(({ isFinished }) => isFinished).length;
  if (!kind || finished < FEWEST_RUNS) return { finished };
  const { grain } = MEASURES[kind.measure];
  const { amount, isAtLeast } = quantile(took, of / 100);
  // In round numbers, and never nothing at all.
  const rounded = Number((Math.max(1, Math.ceil(amount / grain - ROUNDING)) * grain).toFixed(6));
  const max = Math.min(rounded, upTo);
  return {
    max: Math.max(max, kind.least ?? 0),
    runs: took.length,
    ...(max < rounded && { uncapped: rounded }),
    ...(isAtLeast && { isAtLeast }),
  };
}

const ROUNDING = 1e-9;
const NOTHING: Reading = new Meter().read();

function amountsOf(runs: readonly PastRun[], identity: LimitIdentity, options: object): Took[] {
  const kind = kindOf(identity);
  if (!kind) return [];
  const { used, measure } = kind;
  return runs
    .map(({ end, took }) => ({
      amount: used(NOTHING, { ...NOTHING, ...took }, options, identity.tool ?? ""),
      isFinished: end === "finished",
    }))
    .filter(({ amount }) => amount > 0 || MEASURES[measure].oneByOne);
}

function quantile(took: readonly Took[], share: number): { amount: number; isAtLeast?: true } {
  // Of runs that took the same, one that finished comes before one that was ended: that one would have taken more.
  const inOrder = took.toSorted(
    (one, other) => one.amount - other.amount || Number(other.isFinished) - Number(one.isFinished),
  );
  let goOn = 1;
  for (const [index, { amount, isFinished }] of inOrder.entries()) {
    if (!isFinished) continue;
    goOn *= 1 - 1 / (inOrder.length - index);
    if (goOn <= 1 - share + ROUNDING) return { amount };
  }
  return { amount: inOrder.at(-1)?.amount ?? 0, isAtLeast: true };
}
