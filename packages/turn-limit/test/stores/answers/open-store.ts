import type { Store } from "../../../src/pools/ledger/store.ts";
import { redisStore } from "../../../src/pools/stores/redis/index.ts";
import { sqliteStore } from "../../../src/pools/stores/sqlite/index.ts";

/** The store at an address of Redis, or in a file. */
export function openStore(place: string): Store {
  return place.startsWith("redis:") ? redisStore(place) : sqliteStore(place);
}
