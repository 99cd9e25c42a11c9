import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** The hash of each file of a folder, by its path inside the folder. */
export type Snapshot = Readonly<Record<string, string>>;

/**
 * Hashes the files of a folder, so that two snapshots are equal if and only if no byte has changed.
 *
 * @param matters Which paths to look at, with `/` between their parts. All of them if left out.
 */
export async function snapshotOf(
  folder: string,
  matters: (path: string) => boolean = () => true,
): Promise<Snapshot> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter(matters)
    .sort();
  const hashes = paths.map(async (path) => [path, await hashOf(join(folder, path))]);
  return Object.fromEntries(await Promise.all(hashes));
}

async function hashOf(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}
