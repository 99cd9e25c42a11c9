import type { AdapterOptions } from "../packages/turn-limit/src/adapters/loop/index.ts";
import { historyIn, memoryStore } from "../packages/turn-limit/src/index.ts";
import type { Trial } from "./contender.ts";
import { earlierRuns } from "./earlier-runs.ts";

/** The limits of turn-limit in a trial. */
export function ourLimits({ turns, steps, wantsAnswer, pool, observe, earlierTurns }: Trial): AdapterOptions {
  if (earlierTurns !== undefined) return limitFromHistory(earlierTurns);
  const max = pool ? undefined : turns;
  return {
    turns: { max: max ?? "unlimited", headless: wantsAnswer ? "synthesize" : "stop" },
    steps: steps ?? "unlimited",
    ...(pool && { pool }),
    ...(observe && { observe }),
  };
}

function limitFromHistory(turns: number): AdapterOptions {
  const agent = "worker";
  async function open() {
    const store = memoryStore();
    for (const run of earlierRuns(agent, turns)) await store.remember(run);
    return store;
  }
  // The number that it chooses is told as a warning.
  return { turns: "p90", history: historyIn(open, { agent }), onWarning() {} };
}
