import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";

/** One of Pi's session files. */
export interface SessionFile {
  path: string;
  bytes: number;
}

/**
 * The session files of a folder and all folders in it, oldest first: Pi's file names begin with the time. Each is there
 * once, however many links lead to it.
 */
export async function findSessionFiles(folder: string): Promise<SessionFile[]> {
  const files: SessionFile[] = [];
  const seen = new Set<string>();
  async function look(path: string): Promise<void> {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined || seen.has(real)) return;
    seen.add(real);
    const found = await stat(real).catch(() => undefined);
    if (found?.isFile() && path.endsWith(".jsonl")) files.push({ path: real, bytes: found.size });
    if (!found?.isDirectory()) return;
    for (const name of await readdir(real).catch(() => [])) await look(join(real, name));
  }
  await look(folder);
  return files.sort((one, other) => (basename(one.path) < basename(other.path) ? -1 : 1));
}
