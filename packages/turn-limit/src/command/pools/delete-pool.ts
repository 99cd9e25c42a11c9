import { headName, partsOf } from "../../pools/ledger/record-name.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { findRecord } from "./record-names.ts";

/**
 * Deletes the pool that a person means: one record by its whole name, or all of an id and what holds in all of them. It is
 * not read before, so that a record that cannot be read can be deleted. Returns the names of the records.
 */
export async function deletePool(store: Store, wanted: string): Promise<string[]> {
  const records = await store.list();
  const { record, id } = findRecord(wanted, records);
  const deleted = record === wanted ? [record] : records.filter((name) => partsOf(name).id === id).sort();
  for (const name of deleted) await store.delete(name);
  if (record !== wanted)
    for (const head of new Set(deleted.map((name) => headName(partsOf(name))))) await store.delete(head);
  return deleted;
}

/** What is said then. */
export function deletedText(records: readonly string[]): string {
  return `Deleted: ${records.join(", ")}. Agents that work with it are told that its counts are gone.`;
}
