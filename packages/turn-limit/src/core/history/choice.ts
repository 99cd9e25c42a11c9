import { type LimitIdentity, labelOf, type Max } from "../limits/boundary.ts";
import { amountOf } from "../text/amounts.ts";
import type { Percentile } from "../text/percentile.ts";
import { capitalised, limitTitle } from "../words.ts";
import { chosenMaximum, isChosen } from "./chosen-maximum.ts";
import type { PastRun } from "./past-run.ts";
import { chosenText, tooFewText } from "./words.ts";

/** A limit whose maximum is to be chosen from what runs took. */
export interface Wanted {
  readonly identity: LimitIdentity;
  readonly percentile: Percentile;
  /** What else is set of the limit: which tokens count. */
  readonly options?: object;
}

/** What came of it. */
export interface Choice {
  /** `undefined`: there are too few runs. */
  readonly max: number | undefined;
  /** Of how much it is, or why there is none, in words: `p90 of your last 120 runs`. */
  readonly why: string;
}

/** Chooses from these runs. `whose`: ` of Claude Code`. */
export function choiceFrom(
  runs: readonly PastRun[],
  { identity, percentile, options }: Wanted,
  whose = "",
): Choice {
  const chosen = chosenMaximum(runs, identity, percentile, options);
  if (!isChosen(chosen)) return { max: undefined, why: tooFewText(percentile, chosen, whose) };
  return { max: chosen.max, why: chosenText(percentile, chosen, amountOf(identity), whose) };
}

/** What a person reads of it: `Turn limit set to 34 (p90 of your last 120 runs of Claude Code).` */
export function choiceText(identity: LimitIdentity, max: Max, why: string): string {
  const set = max === "unlimited" ? "not set" : `set to ${amountOf(identity).format(max)}`;
  return `${capitalised(limitTitle({ limit: labelOf(identity), identity }))} ${set} (${why}).`;
}
