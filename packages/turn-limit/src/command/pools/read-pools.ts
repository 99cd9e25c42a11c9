import type { Store } from "../../pools/ledger/store.ts";
import { cannotBeDone } from "../command-error.ts";
import { type PoolView, poolView } from "./pool-view.ts";
import { byId, findRecord, newest } from "./record-names.ts";

/** The pools of a store, by id and the newest first. Without `all`: not those of days, weeks and months before. */
export async function readPools(store: Store, all: boolean): Promise<PoolView[]> {
  const sorted = byId(await store.list());
  const shown = all ? sorted : newest(sorted);
  const records = await Promise.all(shown.map(({ record }) => store.read(record)));
  // One that is gone since was forgotten by the store.
  return records.filter((record) => record !== undefined).map(poolView);
}

/** The pool that a person means. */
export async function readPool(store: Store, wanted: string): Promise<PoolView> {
  const { record } = findRecord(wanted, await store.list());
  const found = await store.read(record);
  if (!found) throw cannotBeDone(`${record} is gone from the store.`);
  return poolView(found);
}
