import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isInvalidLimit } from "../core/errors/invalid-limit.ts";
import { messageOf } from "../core/errors/message-of.ts";
import { isStoreError } from "../core/errors/store-error.ts";
import { runRecord } from "../pools/ledger/listed-run.ts";
import type { Store } from "../pools/ledger/store.ts";
import { CommandError, cannotBeDone, wrongInput } from "./command-error.ts";

/** What a store may be, in an error. */
const STORE_FORMS = "a file, or a redis:// or rediss:// address";

const REDIS = /^rediss?:\/\//i;
const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;

/** Where the pools are: as given, else `TURN_LIMIT_STORE`, else the file in which Pi keeps them. */
export function storeAddress(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const source = given === undefined ? "TURN_LIMIT_STORE" : "--store";
  const address = given ?? env.TURN_LIMIT_STORE;
  if (!address) return join(piAgentFolder(env), "turn-limit.sqlite");
  if (ADDRESS.test(address) && !isRedis(address))
    throw wrongInput(
      `${JSON.stringify(shownAddress(address))} from ${source} is not a store. Use ${STORE_FORMS}.`,
    );
  return isRedis(address) ? address : inHome(address);
}

/** Is it a Redis server? Otherwise it is a file. */
function isRedis(address: string): boolean {
  return REDIS.test(address);
}

/** The address without credentials. */
export function shownAddress(address: string): string {
  // Up to the last @: a password may have one, or a slash.
  return address.replace(/^([a-z][a-z0-9+.-]+:\/\/).*@/is, "$1");
}

/** In place of a store that must not be shown. */
export const UNSHOWN_STORE = " --store <your store>";

/** The option with which a `turn-limit` command finds the store at an address; empty for the default store. */
export function storeOption(address: string): string {
  if (address === storeAddress(undefined, {})) return "";
  return shownAddress(address) === address ? ` --store ${shellWord(address)}` : UNSHOWN_STORE;
}

/** A word as a shell reads it. */
export function shellWord(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// As Pi finds it.
function piAgentFolder(env: Readonly<Record<string, string | undefined>>): string {
  const folder = env.PI_CODING_AGENT_DIR;
  return folder ? inHome(folder) : join(homedir(), ".pi", "agent");
}

function inHome(path: string): string {
  return path.replace(/^~(?=$|[/\\])/, homedir());
}

const MISSING = ["ENOENT", "ENOTDIR"];

/** The file of a store does not exist, so there are no pools yet. */
export class MissingStore extends CommandError {}

/** Opens the store at an address. Only with `create` a file that does not exist is created. */
export async function openStore(address: string, create = false): Promise<Store> {
  if (isRedis(address)) {
    const { redisStore } = await import("../pools/stores/redis/index.ts");
    return redisStore(address);
  }
  if (!create) await requireFile(address);
  const { sqliteStore } = await import("../pools/stores/sqlite/index.ts");
  return sqliteStore(address);
}

/** Rejects if the store cannot be used. A file is opened with the first request. */
export async function requireUsable(store: Store): Promise<void> {
  await store.read(runRecord("none"));
}

/** Is it a file into which nobody but this person can write? What it says may be done then. */
export async function isOwnFile(address: string): Promise<boolean> {
  if (isRedis(address) || process.getuid === undefined) return false;
  const { uid, mode } = await stat(address);
  return uid === process.getuid() && (mode & OTHERS_WRITE) === 0;
}

const OTHERS_WRITE = 0o022;

async function requireFile(address: string): Promise<void> {
  await stat(address).catch(({ code = "", message }: NodeJS.ErrnoException) => {
    const why = MISSING.includes(code) ? "does not exist" : `cannot be read (${message})`;
    const problem = `The store ${address} ${why}. Use --store with ${STORE_FORMS}.`;
    throw code === "ENOENT" ? new MissingStore(problem, 1) : cannotBeDone(problem);
  });
}

/** What a person is told when the store at an address cannot be used. */
export function storeProblem(address: string, error: unknown): Error {
  // A StoreError says itself which store it is.
  if (error instanceof CommandError || isStoreError(error)) return error;
  const message = `The store ${shownAddress(address)} cannot be used. ${messageOf(error)}`;
  return isInvalidLimit(error) ? wrongInput(message) : cannotBeDone(message);
}
