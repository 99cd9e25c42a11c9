import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import type { Change, Changed } from "../../pools/ledger/pool-changes.ts";
import type { PoolRecord, Store } from "../../pools/ledger/store.ts";
import { type TestMember, testMember } from "./test-member.ts";

/** An open store, and a pool in it that no other test uses. */
export interface Scene {
  store: Store;
  pool: string;
  /** A member of the pool, or of another one. */
  member(id: string, options?: { name?: string; pool?: string }): TestMember;
  /** Changes the pool. Each change has a key of its own, unless one is given. */
  change(change: AnyChange, key?: string): Promise<Changed>;
  /** The record of the pool, which must be there. */
  record(): Promise<PoolRecord>;
  /** Lets time pass. */
  pass(ms: number): void;
}

type WithoutKey<T> = T extends unknown ? Omit<T, "key"> : never;
export type AnyChange = WithoutKey<Change>;

type Open = (options: { now?: () => number }) => Store | Promise<Store>;

export async function openScene(open: Open, withClock: boolean): Promise<Scene> {
  let time = Date.UTC(2030, 0, 1, 12);
  const store = await open(withClock ? { now: () => time } : {});
  const pool = `test-${randomUUID()}`;
  return {
    store,
    pool,
    member: (id, { name = id, pool: other = pool } = {}) => testMember(store, other, id, name),
    change: (change, key = randomUUID()) => store.change(pool, { ...change, key } as Change),
    async record() {
      const record = await store.read(pool);
      assert.ok(record, "there is no record of the pool");
      return record;
    },
    pass(ms) {
      time += ms;
    },
  };
}
