import { stat } from "node:fs/promises";
import type { Store } from "../ledger/store.ts";
import { cannotBeDone } from "./command-error.ts";
import { isRedis, STORE_FORMS } from "./store-address.ts";

const MISSING = ["ENOENT", "ENOTDIR"];

/** Opens a store that is there. Looking at a file does not make one. */
export async function openStore(address: string): Promise<Store> {
  if (isRedis(address)) {
    const { redisStore } = await import("../stores/redis.ts");
    return redisStore(address);
  }
  await stat(address).catch((error: NodeJS.ErrnoException) => {
    const why = MISSING.includes(error.code ?? "") ? "does not exist" : `cannot be read (${error.message})`;
    throw cannotBeDone(`The store ${address} ${why}. Use --store with ${STORE_FORMS}.`);
  });
  const { sqliteStore } = await import("../stores/sqlite.ts");
  return sqliteStore(address);
}
