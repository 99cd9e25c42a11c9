import type { Store } from "../ledger/store.ts";
import { lostCounts } from "./lost-counts.ts";

/** After this many milliseconds without an answer, a store counts as unreachable. */
const TIMEOUT = 15_000;
/** What it has not done by then, it must not do any more: it would not be heard of. */
const WITHIN = 14_000;

/** What a pool needs of its store. */
export type PoolStore = Pick<Store, "take" | "change" | "read" | "look">;

/** The same store, whose requests fail if it does not answer: a store that hangs must not hang the run. */
export function withTimeout(store: PoolStore): PoolStore {
  return {
    take: async (take) => {
      const taken = await inTime(store.take(take, WITHIN));
      if (taken.kind === "lost") throw lostCounts(take.pool);
      return taken;
    },
    change: async (pool, change) => inTime(store.change(pool, change, WITHIN)),
    read: async (pool) => inTime(store.read(pool)),
    look: async (pool) => inTime(store.look(pool)),
  };
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("It does not answer.")), TIMEOUT);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
