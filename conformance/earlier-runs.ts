import type { EndedRun } from "../packages/turn-limit/src/pools/ledger/past-runs.ts";

/** As many as a limit from history needs. */
const RUNS = 20;

/** What a store has of earlier runs of an agent, of which each finished after so many turns. */
export function earlierRuns(agent: string, turns: number): EndedRun[] {
  const tokens = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const took = { turns, requests: turns, steps: turns - 1, time: 1, ...tokens, cost: 0, calls: {} };
  return Array.from({ length: RUNS }, (_, n) => ({ id: `${n}`, agent, end: "finished", took }));
}
