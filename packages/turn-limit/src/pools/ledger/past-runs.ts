import { MOST_RUNS } from "../../core/history/chosen-maximum.ts";
import { type PastRun, pastRun } from "../../core/history/past-run.ts";

/** A run that is over, as a store keeps it for limits that are chosen from what runs took. */
export interface EndedRun extends PastRun {
  /** Of two with the same id one is kept. */
  readonly id: string;
  /** What kind of agent it was: limits are chosen from runs of the same. */
  readonly agent: string;
}

/** How many are kept of each agent: the last ones. */
export const REMEMBERED_RUNS = MOST_RUNS;

/** How many milliseconds a store on servers keeps those of an agent after the last one. */
export const RUNS_KEPT = 366 * 86_400_000;

/** What is kept of a run: amounts, and the names of tools. */
export function runText({ end, took }: PastRun): string {
  const { turns, requests, steps, time, input, output, cacheRead, cacheWrite, cost, calls } = took;
  const kept = { turns, requests, steps, time, input, output, cacheRead, cacheWrite, cost, calls };
  return JSON.stringify({ end, took: kept });
}

/** The runs in these texts. What is damaged is left out: it would only be one run of many. */
export function runsIn(texts: readonly string[]): PastRun[] {
  return texts.flatMap((text) => runIn(text) ?? []);
}

function runIn(text: string): PastRun | undefined {
  try {
    return pastRun(JSON.parse(text));
  } catch {
    return undefined;
  }
}
