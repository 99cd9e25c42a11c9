import { isStoreError, StoreError } from "../../../core/errors/store-error.ts";
import { LATER_VERSION, LOST } from "./script.ts";

/** What the server says when it will answer in a moment. */
const PASSING = new Set(["LOADING", "BUSY", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN"]);

const CLUSTER = ["is part of a cluster", 'Write redisStore({ cluster: ["redis://host:port"] })'] as const;

/** By the first word of what the server says: what it means, and what to do. */
const MEANINGS: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  [LATER_VERSION]: ["holds records of a later version of turn-limit", "Use that version here, too"],
  OOM: ["is out of memory", "Give it more (maxmemory), or remove keys that nobody needs"],
  READONLY: ["is a replica, which cannot be written to", "Use the address of the primary"],
  NOAUTH: ["wants a password", "Put it in the address: redis://user:password@host:port"],
  WRONGPASS: ["does not accept the name or the password", "Correct them in the address"],
  NOPERM: [
    "does not let this user do what is needed",
    "Allow EVALSHA, EVAL, SCAN and TIME, and keys with the prefix of the store",
  ],
  WRONGTYPE: ["has something else under a key of the pool", "Choose another prefix for the store"],
  MISCONF: ["cannot save its data, and takes no more", "Look at its log"],
  NOREPLICAS: ["has too few replicas, and takes no more", "Look at its log"],
  MOVED: CLUSTER,
  CROSSSLOT: CLUSTER,
};

/** Can the request be made again, on the same connection or on a new one? The server did not refuse it for good. */
export function isPassing(error: unknown): boolean {
  if (isStoreError(error)) return false;
  const word = serverWord(error);
  return word === undefined ? !isClosed(error) : PASSING.has(word);
}

/** Is the connection of no further use? It is broken, or another server has become the primary. */
export function isWorthless(error: unknown): boolean {
  const word = serverWord(error);
  return word === undefined || word === "READONLY";
}

/** What a script found out: counts are gone that there were before. */
export function isLost(error: unknown): boolean {
  return serverWord(error) === LOST;
}

/** The server refused. */
export function refusedBy(address: string, error: unknown): StoreError {
  if (isStoreError(error)) return error;
  if (isClosed(error))
    return problem(
      address,
      "has a client that is not connected",
      "Call connect() of the client first.",
      error,
    );
  const [what, advice] = MEANINGS[serverWord(error) ?? ""] ?? ["refused a request", "Look at its log"];
  return problem(address, what, `${advice}. The server says: ${messageOf(error)}`, error);
}

/** There was no answer in time. */
export function unreachable(address: string, ms: number, error: unknown): StoreError {
  const why = error === undefined ? "it did not answer" : messageOf(error);
  const advice =
    "Is the server running, and is the address right? The request can be made again: it is not counted twice.";
  return problem(address, `could not be reached within ${ms} ms: ${why}`, advice, error);
}

/** The counts of a pool are gone. */
export function lost(address: string, pool: string): StoreError {
  const what = `has lost counts of the pool ${JSON.stringify(pool)}: the server was restarted without its data or with older data, emptied or replaced`;
  const advice =
    "The pool goes on with the next request, from what the server has now. Let the server keep its data (appendonly yes, maxmemory-policy noeviction).";
  return problem(address, what, advice);
}

/** The store was closed before. */
export function closed(address: string): StoreError {
  return problem(address, "is closed", "Open another one with redisStore().");
}

/** The client is not installed. */
export function notInstalled(address: string, error: unknown): StoreError {
  return problem(
    address,
    'needs the package "redis", which could not be loaded',
    "Install it: npm install redis. With npx: npx --package turn-limit --package redis turn-limit …",
    error,
  );
}

function problem(address: string, what: string, advice: string, cause?: unknown): StoreError {
  return new StoreError(`The Redis store ${address}`, what, advice, { cause });
}

// Everything that a server says begins with a word in capitals. Nothing that goes wrong on the way does.
function serverWord(error: unknown): string | undefined {
  return error instanceof Error ? /^[A-Z][A-Z0-9]+(?= |$)/.exec(error.message)?.[0] : undefined;
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.message === "The client is closed";
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(", ");
  return error.message || error.name;
}
