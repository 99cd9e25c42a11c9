import type { Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";

/** One of Pi's session files. */
export interface SessionFile {
  path: string;
  bytes: number;
}

const ENDING = ".jsonl";

/** How many of the last files are wanted, and how many bytes of them. */
export interface Most {
  readonly files: number;
  readonly bytes: number;
}

/**
 * The session files of a folder and all folders in it, oldest first: Pi's file names begin with the time. Each is there
 * once, however many links lead to it.
 */
export async function findSessionFiles(
  folder: string,
  most: Most = { files: Infinity, bytes: Infinity },
): Promise<SessionFile[]> {
  const paths = await sessionPaths(folder);
  const files: SessionFile[] = [];
  let bytesInAll = 0;
  for (const path of paths.sort(byName).reverse()) {
    if (files.length === most.files) break;
    const bytes = (await stat(path).catch(() => undefined))?.size ?? 0;
    bytesInAll += bytes;
    if (bytesInAll > most.bytes) break;
    files.push({ path, bytes });
  }
  return files.reverse();
}

// Thousands of files may be there: only of links is it asked what they lead to.
async function sessionPaths(folder: string): Promise<string[]> {
  const paths = new Set<string>();
  const seen = new Set<string>();
  async function lookIn(within: string): Promise<void> {
    if (seen.has(within)) return;
    seen.add(within);
    for (const entry of await readdir(within, { withFileTypes: true }).catch(() => [])) {
      const path = join(within, entry.name);
      const found = entry.isSymbolicLink() ? await ledTo(path) : { path, entry };
      if (found?.entry.isDirectory()) await lookIn(found.path);
      if (found?.entry.isFile() && entry.name.endsWith(ENDING)) paths.add(found.path);
    }
  }
  const root = await ledTo(folder);
  if (root?.entry.isFile() && folder.endsWith(ENDING)) paths.add(root.path);
  else if (root) await lookIn(root.path);
  return [...paths];
}

/** What is at the end of a link. */
async function ledTo(link: string): Promise<{ path: string; entry: Stats } | undefined> {
  const path = await realpath(link).catch(() => undefined);
  const entry = path === undefined ? undefined : await stat(path).catch(() => undefined);
  return path === undefined || !entry ? undefined : { path, entry };
}

function byName(one: string, other: string): number {
  return basename(one) < basename(other) ? -1 : 1;
}
