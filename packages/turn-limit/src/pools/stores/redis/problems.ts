import { isStoreError, StoreError } from "../../../core/errors/store-error.ts";
import { OTHER_VERSION, VERSION } from "./script.ts";

/** What the server says when it will answer in a moment. */
const PASSING = new Set(["LOADING", "BUSY", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN"]);

const CLUSTER = ["is part of a cluster", 'Write redisStore({ cluster: ["redis://host:port"] })'] as const;

const NOT_ALLOWED = [
  "does not let this user do what is needed",
  "Allow the commands that the page about pools and stores lists, and keys with the prefix of the store",
] as const;

/** By what the server says, where its first word says nothing. Every server but a Sentinel knows the commands of the store. */
const SENTENCES = [
  ["ERR The user executing the script can't", NOT_ALLOWED],
  [
    "ERR unknown command",
    [
      "is a Sentinel, which keeps no pools, or a server with commands disabled",
      "Use the address of the primary: Sentinel is not supported",
    ],
  ],
] as const;

/** By the first word of what the server says: what it means, and what to do. */
const MEANINGS: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  OOM: ["is out of memory", "Give it more (maxmemory), or remove keys that nobody needs"],
  READONLY: ["is a replica, which cannot be written to", "Use the address of the primary"],
  NOAUTH: ["wants a password", "Put it in the address: redis://user:password@host:port"],
  WRONGPASS: ["does not accept the name or the password", "Correct them in the address"],
  NOPERM: NOT_ALLOWED,
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
  const word = serverWord(error) ?? "";
  if (word === OTHER_VERSION) return otherVersion(address, Number(messageOf(error).split(" ")[1]));
  const [, known] = SENTENCES.find(([sentence]) => messageOf(error).startsWith(sentence)) ?? [];
  const meaning = known ?? MEANINGS[word];
  const [what, advice] = meaning ?? ["refused a request", "Look at its log"];
  return problem(address, what, `${advice}. The server says: ${messageOf(error)}`, error);
}

/** There was no answer in time. */
export function unreachable(address: string, ms: number, error: unknown): StoreError {
  const why = error === undefined ? "it did not answer" : messageOf(error);
  const advice =
    "Is the server running, and is the address right? The request can be made again: it is not counted twice.";
  return problem(address, `could not be reached within ${ms} ms: ${why}`, advice, error);
}

/** The records are of another version of this package. */
export function otherVersion(address: string, version: number): StoreError {
  if (version > Number(VERSION))
    return problem(address, "holds records of a later version of turn-limit", "Use that version here, too.");
  const advice =
    "They are left as they are. Use the earlier version until they have expired, or another prefix for the store, or delete their keys: their pools start over.";
  return problem(address, `holds records of an earlier version of turn-limit`, advice);
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
