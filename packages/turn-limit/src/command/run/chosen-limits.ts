import { choiceFrom, choiceText } from "../../core/history/choice.ts";
import type { PastRun } from "../../core/history/past-run.ts";
import { withUpTo } from "../../core/history/words.ts";
import { amountOf } from "../../core/text/amounts.ts";
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
  const identity = { kind: measure };
  const { max = otherwise, why } = choiceFrom(runs, { identity, percentile }, ` of ${launcher.name}`);
  const said = choiceText(identity, max, why);
  if (max !== "unlimited") return { max, text: said };
  const example = withUpTo(percentile, amountOf(identity));
  return { max, text: `${said} To have one until then: --${optionFor(measure)} '${example}'.` };
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
