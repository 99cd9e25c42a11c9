import { stat } from "node:fs/promises";
import type { Store } from "../pools/ledger/store.ts";
import { CommandError, cannotBeDone } from "./command-error.ts";
import { isRedis, STORE_FORMS } from "./store-address.ts";

const MISSING = ["ENOENT", "ENOTDIR"];

/** The file of a store is not there: nobody has made a pool in it yet. */
export class MissingStore extends CommandError {}

/** Opens a store that is there. Looking at a file does not make one. */
export async function openStore(address: string): Promise<Store> {
  if (!isRedis(address)) await requireFile(address);
  return makeStore(address);
}

/** Opens a store. A file that is not there is made. */
export async function makeStore(address: string): Promise<Store> {
  if (isRedis(address)) {
    const { redisStore } = await import("../pools/stores/redis/index.ts");
    return redisStore(address);
  }
  const { sqliteStore } = await import("../pools/stores/sqlite/index.ts");
  return sqliteStore(address);
}

async function requireFile(address: string): Promise<void> {
  await stat(address).catch(({ code = "", message }: NodeJS.ErrnoException) => {
    const why = MISSING.includes(code) ? "does not exist" : `cannot be read (${message})`;
    const problem = `The store ${address} ${why}. Use --store with ${STORE_FORMS}.`;
    throw code === "ENOENT" ? new MissingStore(problem, 1) : cannotBeDone(problem);
  });
}
