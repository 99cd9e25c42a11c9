import { messageOf } from "../../../core/errors/message-of.ts";
import { isStoreError, StoreError } from "../../../core/errors/store-error.ts";

// The result codes of SQLite. What is above the lowest 8 bits says more, and is not needed here.
const BUSY = 5;
const LOCKED = 6;
const MOVED = 1032;

/** The file is none of our databases, or is one no longer: as it is, it can never be used. */
class UnusableFile extends StoreError {
  /** What is wrong with it, for whoever has other advice. */
  readonly what: string;

  constructor(store: string, what: string, advice: string, options?: ErrorOptions) {
    super(store, what, advice, options);
    this.what = what;
  }
}

export function isUnusableFile(error: unknown): error is UnusableFile {
  return error instanceof UnusableFile;
}

const ERROR = 1;
const CORRUPT = 11;
const NOTADB = 26;

const FAILURES: Record<number, [what: string, advice: string]> = {
  [BUSY]: [
    "is locked by another process",
    "End the process that holds it, or wait for longer with the option timeout.",
  ],
  // Every statement is right for our tables, so they are not there.
  [ERROR]: damaged(),
  3: ["cannot be opened", "Check that this user may write to the file and to its folder."],
  8: ["is read-only", "Make the file and its folder writable for this user."],
  10: ["cannot be read or written", "Check the disk, and whether there is room on it."],
  [CORRUPT]: damaged(),
  13: ["cannot grow: the disk is full", "Make room on the disk."],
  14: ["cannot be opened", "Check that this user may write to the file and to its folder."],
  [NOTADB]: noDatabase(),
};

const UNUSABLE: ReadonlySet<number> = new Set([ERROR, CORRUPT, NOTADB]);

function damaged(): [string, string] {
  return ["is damaged", "Restore it from a copy, or delete it: its pools start over."];
}

// Any file that does not begin like a database: it may be somebody's letter.
function noDatabase(): [string, string] {
  return [
    "is damaged, or is no database",
    "Name another file. Only if this one is a store: restore it from a copy, or delete it, and its pools start over.",
  ];
}

/** Does somebody else write to the database now? */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error) & 0xff;
  return code === BUSY || code === LOCKED;
}

/** What SQLite says when somebody else writes to the database. */
export function busyError(): Error {
  return Object.assign(new Error("database is locked"), { errcode: BUSY });
}

/** The error for a database whose contents make no sense. */
export function damagedStore(store: string, cause?: unknown): StoreError {
  return new UnusableFile(store, ...damaged(), { cause });
}

/** The error for a file that does not begin like a database. */
export function notADatabase(store: string): StoreError {
  return new UnusableFile(store, ...noDatabase());
}

/** The error for a file that is something else than one of our databases. */
export function notOurs(store: string, what: string, advice: string): StoreError {
  return new UnusableFile(store, what, advice);
}

/** The error for a database that was deleted, or replaced by another, while it was in use. */
export function deletedStore(store: string): StoreError {
  return new StoreError(store, "was deleted while in use", "Open it again: its pools start over.");
}

/** The error for a store that is closed, by whoever opened it. */
export function closedStore(store: string): StoreError {
  return new StoreError(store, "is closed", "Open it again.");
}

/** The error for a database whose log was deleted, or replaced by another, while it was in use. */
export function deletedLog(store: string, log: string): StoreError {
  const what = `was in use when its file ${log} was deleted, so that what was counted last may be missing`;
  return new StoreError(store, what, "It goes on with the next request. Leave that file alone.");
}

/** What a person is told about an error of SQLite or of the file system. */
export function storeError(store: string, error: unknown): StoreError {
  if (isStoreError(error)) return error;
  const code = codeOf(error);
  if (code === MOVED) return deletedStore(store);
  const [what, advice] = FAILURES[code & 0xff] ?? [
    "failed",
    "Check the file, its folder and who may write to them.",
  ];
  const Failure = UNUSABLE.has(code & 0xff) ? UnusableFile : StoreError;
  return new Failure(store, `${what} (${messageOf(error)})`, advice, { cause: error });
}

function codeOf(error: unknown): number {
  const { errcode } = Object(error);
  return typeof errcode === "number" ? errcode : 0;
}
