import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { extension } from "../../build-options.mjs";

/** A copy of the built extension with a fault in it. */
export interface BrokenBuild extends AsyncDisposable {
  readonly path: string;
}

/** Puts `faulty` into the place of `sound`, which must be there exactly once. */
export async function breakBuild(sound: RegExp, faulty: string): Promise<BrokenBuild> {
  const { outputFiles } = await build({ ...extension, write: false });
  const parts = outputFiles
    .map(({ text }) => text)
    .join("")
    .split(sound);
  if (parts.length !== 2) throw new Error(`${sound} is in the build ${parts.length - 1} times, not once`);
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-broken-"));
  const path = join(folder, "turn-limit.cjs");
  await writeFile(path, parts.join(faulty));
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** What counts a turn. Without it the build counts none. */
export const countsNoTurns = /if \(turns\)\s*this\.#counters\.turns \+= by;/;
