import { StoreError } from "../../core/errors/store-error.ts";

/** The store has lost what it had answered. */
class LostCounts extends StoreError {}

/** The error for a store that knows less of a member than it told it before. */
export function lostCounts(pool: string): StoreError {
  return new LostCounts(
    `The store of pool ${pool}`,
    "has lost counts: it was restarted without its last writes, emptied, or replaced by an older copy",
    "The next turn goes on from what it has now, and every run tells it again what it used. Let a Redis server keep its data: appendonly yes, maxmemory-policy noeviction.",
  );
}

export function isLostCounts(error: unknown): boolean {
  return error instanceof LostCounts;
}
