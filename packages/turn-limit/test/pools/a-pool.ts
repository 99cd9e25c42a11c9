import { createPool, memoryStore, type PoolOptions } from "../../src/index.ts";

let pools = 0;

/** A pool of its own, with a store whose time a test can move. It is looked at often, so that no test has to wait. */
export function aPool(options: Omit<PoolOptions, "id"> = {}) {
  pools += 1;
  const time = { now: Date.UTC(2026, 0, 5, 12) };
  const store = options.store ?? memoryStore({ now: () => time.now });
  const pool = createPool({ id: `pool ${pools}`, zone: "UTC", lookEvery: 1, ...options, store });
  /** What is used, what is held and how many take part. */
  const standing = async (period?: string) => {
    const record = await store.read(period ? `${pool.id}@${period}` : pool.id);
    return { settled: { ...record?.settled }, held: { ...record?.held }, agents: record?.agents };
  };
  return { pool, store, standing, time };
}
