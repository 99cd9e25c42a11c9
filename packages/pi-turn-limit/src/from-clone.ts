/**
 * What Pi loads of a clone, as `pi install` of a git address makes one: what was built in it, as long as it is newer than the
 * sources that it was built from, else the sources.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const FOLDER = dirname(dirname(import.meta.filename));

export default async function turnLimit(pi: ExtensionAPI): Promise<unknown> {
  // Named by a variable: there may be no such file, and there are no types of it.
  const built = "../dist/turn-limit.cjs";
  const { default: extension } = await (isBuilt() ? import(built) : import("./turn-limit.ts"));
  return extension(pi);
}

function isBuilt(): boolean {
  try {
    const file = join(FOLDER, "dist", "sources.json");
    const sources: string[] = JSON.parse(readFileSync(file, "utf8"));
    const built = statSync(file).mtimeMs;
    return sources.every((source) => statSync(join(FOLDER, source)).mtimeMs <= built);
  } catch {
    return false;
  }
}
