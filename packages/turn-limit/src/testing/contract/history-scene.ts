import { strict as assert } from "node:assert";
import { setImmediate } from "node:timers/promises";
import type { PastRun } from "../../core/history/past-run.ts";
import type { Totals } from "../../core/meter/meter.ts";
import { historyIn } from "../../pools/history/history-in.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { memoryStore } from "../../pools/stores/memory.ts";
import type { AdapterOptions } from "../../run/options.ts";

/** Earlier runs of an agent in a store, for a run that is played with them. */
export interface Scene {
  store: Store;
  options: Pick<AdapterOptions, "history" | "onWarning">;
  /** What a person was told. */
  told: string[];
  keep(took: Partial<Totals>, end?: PastRun["end"]): Promise<void>;
  untilKept(count: number): Promise<void>;
}

const NOTHING: Totals = {
  ...{ turns: 0, requests: 1, steps: 0, time: 0, calls: {} },
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 },
};

/** A history of `count` runs, each of which took this. `seenAs`: the store as the run sees it. */
export function historyOf(
  count: number,
  took: Partial<Totals> = {},
  seenAs: (store: Store) => Store = (store) => store,
): Scene {
  const store = memoryStore();
  const told: string[] = [];
  let kept: Promise<unknown> = Promise.resolve();
  const keep: Scene["keep"] = async (took, end = "finished") => {
    const run = { id: crypto.randomUUID(), agent: "contract", end, took: { ...NOTHING, ...took } };
    kept = Promise.all([kept, store.remember(run)]);
    await kept;
  };
  for (let n = 0; n < count; n += 1) void keep(took);
  const history = historyIn(
    async () => {
      await kept;
      return slowly(seenAs(store));
    },
    { agent: "contract" },
  );
  return {
    store,
    options: { history, onWarning: (message) => void told.push(message) },
    told,
    keep,
    // Not every host lets its call wait for that.
    untilKept: async (count) => {
      for (let looks = 0; (await store.pastRuns("contract")).length < count; looks += 1) {
        assert(looks < MOST_LOOKS, `${count} runs were not kept`);
        await setImmediate();
      }
    },
  };
}

/** A store that can be read only after everything that is ready to run did: who does not wait for it is found out. */
function slowly(store: Store): Store {
  return {
    ...store,
    pastRuns: async (agent) => {
      await setImmediate();
      return store.pastRuns(agent);
    },
  };
}

const MOST_LOOKS = 10_000;
