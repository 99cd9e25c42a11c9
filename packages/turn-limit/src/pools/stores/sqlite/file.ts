import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { deletedStore, notOurs, storeError } from "./failures.ts";
import { Folder } from "./folder.ts";

/** A file, by where it is and by what it is. */
export interface OpenFile {
  path: string;
  /** What a database says of itself in its first bytes: nothing if it is new. `undefined`: this process has it open already. */
  header: Buffer | undefined;
  folder: Folder;
  /** Throws if the path no longer leads to this file. */
  requireSame(): void;
  /** This process has it open once less. */
  release(): void;
}

/**
 * The files that this process has open, each as often as it has. They must not be opened in passing: closing a file ends
 * all locks that the process has on it.
 */
const inUse = new Map<string, number>();

/** Finds the file behind a path. If there is none it is made, for its owner only, and its folder too. */
export function openFile(path: string, store: string): OpenFile {
  try {
    const real = realPath(resolve(path));
    makeIfMissing(real);
    const { ino, dev } = existing(real, store);
    const key = `${dev}:${ino}`;
    const handles = inUse.get(key) ?? 0;
    const header = handles === 0 ? firstBytes(real) : undefined;
    inUse.set(key, handles + 1);
    const folder = new Folder(dirname(real));
    return {
      path: real,
      header,
      folder,
      requireSame() {
        const found = statSync(real, { throwIfNoEntry: false });
        if (found?.ino !== ino || found.dev !== dev) throw deletedStore(store);
      },
      release() {
        folder.close();
        const left = (inUse.get(key) ?? 1) - 1;
        if (left === 0) inUse.delete(key);
        else inUse.set(key, left);
      },
    };
  } catch (error) {
    throw storeError(store, error);
  }
}

function existing(path: string, store: string) {
  const found = statSync(path);
  if (found.isFile()) return found;
  const what = found.isDirectory() ? "is a folder" : "is no file";
  throw notOurs(store, what, "Name a file, which may be a new one.");
}

const MOST_LINKS = 40;

// A link may lead to a file that is not there yet.
function realPath(path: string, links = 0): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() && links < MOST_LINKS)
    return realPath(resolve(dirname(path), readlinkSync(path)), links + 1);
  if (found) return realpathSync(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return join(realpathSync(dirname(path)), basename(path));
}

function makeIfMissing(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (Object(error).code !== "EEXIST") throw error;
  }
}

const HEADER_SIZE = 100;

function firstBytes(path: string): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(HEADER_SIZE);
    return bytes.subarray(0, readSync(file, bytes, 0, HEADER_SIZE, 0));
  } finally {
    closeSync(file);
  }
}

/**
 * Removes the index of a deleted database that had the same name: processes that still have it open would share it with the
 * new one. What else is left of it, SQLite removes. Only for a database that nobody else can be using: an empty one, locked.
 */
export function removeForeignIndex(path: string): void {
  rmSync(`${path}-shm`, { force: true });
}

/** The file beside a database in which SQLite keeps what was written last. It is there as long as the database is in use. */
export class WriteAheadLog {
  readonly path: string;
  readonly #ino: number | undefined;

  constructor(database: string) {
    this.path = `${database}-wal`;
    this.#ino = this.#found?.ino;
  }

  /** Is it still the same file? */
  get isThere(): boolean {
    return this.#ino !== undefined && this.#found?.ino === this.#ino;
  }

  /** Has somebody begun another one in its place? */
  get isReplaced(): boolean {
    const { ino, size = 0 } = this.#found ?? {};
    return ino !== this.#ino && size > 0;
  }

  get #found() {
    return statSync(this.path, { throwIfNoEntry: false });
  }
}
