import type { Amount } from "../text/amounts.ts";
import { countOf } from "../text/number-text.ts";
import { type Percentile, UP_TO } from "../text/percentile.ts";
import { type ChosenMaximum, FEWEST_RUNS, type TooFewRuns } from "./chosen-maximum.ts";

// What is said of a maximum that was chosen from what runs took, behind the maximum.

/** `p90 of your last 120 runs`, and what else there is to know. `whose`: ` of Claude Code`. */
export function chosenText(
  { of }: Percentile,
  { runs, uncapped, isAtLeast }: ChosenMaximum,
  { format }: Pick<Amount, "format">,
  whose = "",
): string {
  const from = `p${of} of your last ${countOf(runs, "run")}${whose}`;
  const least = isAtLeast ? "at least " : "";
  if (uncapped !== undefined) return `${from} is ${least}${format(uncapped)}`;
  return isAtLeast ? `${from} is at least that: limits ended too many of them to know more` : from;
}

/** Why nothing was chosen: `p90 needs 20 finished runs, and there are 3`. */
export function tooFewText({ of }: Percentile, { finished }: TooFewRuns, whose = ""): string {
  return `p${of} needs ${FEWEST_RUNS} finished runs${whose}, and there ${finished === 1 ? "is" : "are"} ${finished}`;
}

/** How a percentile is limited where too few runs say nothing: `p90 up to 200k`. */
export function withUpTo({ of }: Percentile, { example }: Pick<Amount, "example">): string {
  return `p${of} ${UP_TO} ${example}`;
}
