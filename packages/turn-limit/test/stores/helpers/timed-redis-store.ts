import type { Store } from "../../../src/pools/ledger/store.ts";
import { Connection } from "../../../src/pools/stores/redis/connection.ts";
import { recordStore } from "../../../src/pools/stores/redis/record-store.ts";
import { clusterRoute, serverRoute } from "../../../src/pools/stores/redis/routes.ts";

/** The store on Redis with a clock of the test's own, which the server knows nothing of. */
export function timedRedisStore(addresses: readonly string[], now?: () => number): Store {
  const timeout = 600_000;
  const route =
    addresses.length === 1 ? serverRoute(String(addresses[0]), timeout) : clusterRoute(addresses, timeout);
  const store = recordStore(new Connection(route, timeout), "tl:", now);
  if (!now) return store;
  return {
    ...store,
    // By the server's own clock the records have not expired.
    async list() {
      const records = await Promise.all((await store.list()).map((pool) => store.read(pool)));
      return records.flatMap((record) => record?.pool ?? []);
    },
  };
}
