import { chosenMaximum, isChosen } from "../../core/history/chosen-maximum.ts";
import type { PastRun } from "../../core/history/past-run.ts";
import { chosenText, tooFewText, withUpTo } from "../../core/history/words.ts";
import { KINDS } from "../../core/limits/kinds.ts";
import { amountOf } from "../../core/text/amounts.ts";
import { capitalised } from "../../core/words.ts";
import { MissingStore, storeProblem } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { optionFor, typedLimit, type WantedLimit } from "../wanted-limits.ts";
import type { RunOptions } from "./options.ts";

type Percentiled = WantedLimit & Required<Pick<WantedLimit, "percentile">>;

/**
 * The options with limits in place of percentiles, such as `--max-turns p90`: chosen once, from what the last runs of the
 * agent took. `tell` is told of each.
 */
export async function withChosenLimits(
  options: RunOptions,
  around: Pick<Surroundings, "openStore">,
  tell: (message: string) => void,
): Promise<RunOptions> {
  const { limits, wrapUp, typed } = options;
  if (!limits.some(isPercentiled)) return options;
  const runs = await pastRuns(options, around);
  const chosen = limits.map((limit) => {
    if (!isPercentiled(limit)) return limit;
    const { max, text } = choice(limit, runs, options);
    tell(text);
    const { percentile: _, ...rest } = limit;
    return { ...rest, max };
  });
  const turns = chosen.find(({ measure, per }) => measure === "turns" && per === undefined)?.max;
  return {
    ...options,
    limits: chosen,
    // As much as the limit, or more, would be none.
    wrapUp: typeof turns === "number" ? Math.max(0, Math.min(wrapUp, turns - 1)) : wrapUp,
    // A run that goes on later goes on under the same limits.
    typed: typedAgain(typed, limits, chosen),
  };
}

function isPercentiled(limit: WantedLimit): limit is Percentiled {
  return limit.percentile !== undefined;
}

async function pastRuns(
  { store, launcher }: RunOptions,
  { openStore }: Pick<Surroundings, "openStore">,
): Promise<readonly PastRun[]> {
  try {
    const open = await openStore(store);
    return await open.pastRuns(launcher.name).finally(() => open.close());
  } catch (error) {
    if (error instanceof MissingStore) return [];
    throw storeProblem(store, error);
  }
}

function choice(
  { measure, percentile, max: otherwise }: Percentiled,
  runs: readonly PastRun[],
  { launcher }: RunOptions,
): Pick<WantedLimit, "max"> & { text: string } {
  const amount = amountOf({ kind: measure });
  const limit = capitalised(`${KINDS[measure].noun} limit`);
  const chosen = chosenMaximum(runs, { kind: measure }, percentile);
  const of = ` of ${launcher.name}`;
  if (isChosen(chosen)) {
    const { max } = chosen;
    return {
      max,
      text: `${limit} set to ${amount.format(max)} (${chosenText(percentile, chosen, amount, of)}).`,
    };
  }
  const why = tooFewText(percentile, chosen, of);
  const set = otherwise === "unlimited" ? "not set" : `set to ${amount.format(otherwise)}`;
  const advice =
    otherwise === "unlimited"
      ? ` To have one until then: --${optionFor(measure)} '${withUpTo(percentile, amount)}'.`
      : "";
  return { max: otherwise, text: `${limit} ${set} (${why}).${advice}` };
}

function typedAgain(
  typed: readonly string[],
  before: readonly WantedLimit[],
  after: readonly WantedLimit[],
): string[] {
  const measures = new Set(before.filter(isPercentiled).map(({ measure }) => measure));
  const options = [...measures].map((measure) => `--${optionFor(measure)}=`);
  return [
    ...typed.filter((word) => !options.some((option) => word.startsWith(option))),
    ...after
      .filter(({ measure }) => measures.has(measure))
      .map((limit) => `--${optionFor(limit.measure)}=${typedLimit(limit)}`),
  ];
}
