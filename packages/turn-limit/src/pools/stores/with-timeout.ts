import type { Store } from "../ledger/store.ts";

/** After this many milliseconds without an answer, a store counts as unreachable. */
const TIMEOUT = 15_000;

/** What a pool needs of its store. */
export type PoolStore = Pick<Store, "take" | "change" | "read" | "now">;

/** The same store, whose requests fail if it does not answer: a store that hangs must not hang the run. */
export function withTimeout(store: PoolStore): PoolStore {
  return {
    take: async (take) => inTime(store.take(take)),
    change: async (pool, change) => inTime(store.change(pool, change)),
    read: async (pool) => inTime(store.read(pool)),
    now: async () => inTime(store.now()),
  };
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("It does not answer.")), TIMEOUT);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
