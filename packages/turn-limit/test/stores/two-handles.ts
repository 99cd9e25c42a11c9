import type { Store } from "../../src/pools/ledger/store.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";

/** One file, opened twice, as two processes would. Each call goes to the other one. */
export function twoHandles(file: string, now?: () => number): Store {
  const stores = [1, 2].map(() => sqliteStore(file, now ? { now } : {})) as [Store, Store];
  let calls = 0;
  const next = () => stores[(calls++ % 2) as 0 | 1];
  return {
    take: (take, within) => next().take(take, within),
    change: (pool, change, within) => next().change(pool, change, within),
    read: (pool) => next().read(pool),
    look: (pool) => next().look(pool),
    delete: (pool) => next().delete(pool),
    list: () => next().list(),
    runs: () => next().runs(),
    grants: () => next().grants(),
    remember: (run) => next().remember(run),
    pastRuns: (agent) => next().pastRuns(agent),
    now: () => next().now(),
    async close() {
      for (const store of stores) await store.close();
    },
  };
}
