import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import type { Change, Changed } from "../../pools/ledger/pool-state.ts";
import type { PoolRecord, Store, Take, Taken } from "../../pools/ledger/store.ts";

/** What a test says of a request. The rest is as the member is. */
export type Request = Partial<Omit<Take, "pool" | "member">>;

/** A member of a pool, which numbers its requests. */
export interface TestMember {
  take(request: Request): Promise<Taken>;
  /** Makes its last request again, with the same number. */
  again(): Promise<Taken>;
}

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

/** How long the lease of a member is, if a test does not say it. */
export const LEASE = 60_000;

type Open = (options: { now?: () => number }) => Store | Promise<Store>;

export async function openScene(open: Open, withClock: boolean): Promise<Scene> {
  let time = Date.UTC(2030, 0, 1, 12);
  const store = await open(withClock ? { now: () => time } : {});
  const pool = `test-${randomUUID()}`;
  return {
    store,
    pool,
    member(id, options = {}) {
      const where = { pool: options.pool ?? pool, member: { id, name: options.name ?? id } };
      let last: Take = { ...where, turn: 0, settle: {}, lease: LEASE };
      return {
        take(request) {
          last = { ...where, turn: last.turn + 1, settle: {}, lease: LEASE, ...request };
          return store.take(last);
        },
        again: () => store.take(last),
      };
    },
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
