/**
 * What Pi loads of a clone, as `pi install` of a git address makes one: what was built in it, as long as it is newer than the
 * sources that it was built from. Where it is not, as after an install without scripts, it is built now: that takes no longer
 * than to load the sources once. Where nothing can be built, or with tools that only a developer has, the sources are loaded.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

type Extension = (pi: ExtensionAPI) => unknown;

const FOLDER = dirname(dirname(import.meta.filename));
const DIST = join(FOLDER, "dist");
const LONGEST_BUILD = 20_000;

export default async function turnLimit(pi: ExtensionAPI): Promise<unknown> {
  const extension = isBuilt() || build() ? built() : (await import("./turn-limit.ts")).default;
  return extension(pi);
}

// By Node itself: Pi's own loader has nothing to do for it.
function built(): Extension {
  return createRequire(import.meta.filename)(join(DIST, "turn-limit.cjs"));
}

function isBuilt(): boolean {
  try {
    const file = join(DIST, "sources.json");
    const sources: string[] = JSON.parse(readFileSync(file, "utf8"));
    const made = statSync(file).mtimeMs;
    return sources.every((source) => statSync(`${FOLDER}/${source}`).mtimeMs <= made);
  } catch {
    return false;
  }
}

/** Builds it with nothing but Node. Returns whether that is done. What was built with tools is left to whoever has them. */
function build(): boolean {
  const isNode = /^node(?:\.exe)?$/.test(basename(process.execPath));
  if (!isNode || existsSync(join(DIST, "cli.cjs"))) return false;
  const script = join(FOLDER, "build-without-tools.mjs");
  const { status } = spawnSync(process.execPath, [script], {
    ...{ stdio: "ignore", timeout: LONGEST_BUILD, windowsHide: true },
  });
  return status === 0;
}
