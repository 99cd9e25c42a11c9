import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Result } from "./table.ts";

const folder = join(import.meta.dirname, "..", "packages", "turn-limit");
const coreGoal = 5_000;

/** What each entry of the core adds to a bundle: minified, gzipped, without the host it adapts to. */
export async function bundleSize(): Promise<Result[]> {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entries = Object.entries<{ default?: string }>(exports).filter(([, target]) => target.default);
  return Promise.all(
    entries.map(async ([name, target]) => {
      const bytes = await gzipped(join(folder, target.default ?? ""));
      const isCore = name === ".";
      return {
        what: `bundle size of ${isCore ? "turn-limit" : `turn-limit/${name.slice(2)}`}`,
        measured: `${(bytes / 1000).toFixed(1)} kB gzipped`,
        ...(isCore && { goal: { text: "under 5 kB", met: bytes < coreGoal } }),
      };
    }),
  );
}

async function gzipped(entry: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return gzipSync(outputFiles[0]?.contents ?? "").length;
}
