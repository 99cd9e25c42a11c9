import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { StoreError } from "../../../core/errors/store-error.ts";
import { deletedStore, storeError } from "./failures.ts";

/** A file, by where it is and by what it is. */
export interface OpenFile {
  path: string;
  /** Was there nothing in it? */
  isEmpty: boolean;
  /** Throws if the path no longer leads to this file. */
  requireSame(): void;
}

/** Finds the file behind a path. If there is none it is made, for its owner only, and its folder too. */
export function openFile(path: string, store: string): OpenFile {
  try {
    const real = realPath(resolve(path));
    makeIfMissing(real);
    const { ino, dev, size } = existing(real, store);
    return {
      path: real,
      isEmpty: size === 0,
      requireSame() {
        const found = statSync(real, { throwIfNoEntry: false });
        if (found?.ino !== ino || found.dev !== dev) throw deletedStore(store);
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
  throw new StoreError(store, what, "Name a file, which may be a new one.");
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
  // What is left of a deleted database would be taken for a part of the new one.
  for (const ending of ["-wal", "-shm", "-journal"]) {
    if (lstatSync(path, { throwIfNoEntry: false })) return;
    rmSync(path + ending, { force: true });
  }
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // Another process was faster.
    if (Object(error).code !== "EEXIST") throw error;
  }
}
