import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Contents } from "./contents.ts";
import type { Tree } from "./tree.ts";

/** How many files to look at where no repository says which of them matter. */
const MOST_FILES = 10_000;

/** What tools keep for themselves. Names that begin with a dot are left out, too. */
const LEFT_OUT = new Set(["node_modules", "__pycache__"]);

/** The files of a folder that is in no repository. */
export function walkedTree(folder: string): Tree {
  const contents = new Contents(folder);
  return {
    look: async (signal) => contents.of(await filesIn(folder, signal), signal),
  };
}

async function filesIn(root: string, signal: AbortSignal): Promise<string[]> {
  const files: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal.throwIfAborted();
    // One that cannot be read is as if it were not there.
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name.startsWith(".") || LEFT_OUT.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else files.push(path);
    }
    if (files.length > MOST_FILES)
      throw new Error(`${root} is in no git repository, and has more than 10,000 files`);
  }
  return files;
}
