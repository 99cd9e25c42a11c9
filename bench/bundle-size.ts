import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { repository } from "../scripts/installed-pi.ts";
import { type Result, verdict } from "./table.ts";

const folder = join(repository, "packages", "turn-limit");

/** What the core adds to a bundle: minified, gzipped, without the host that an entry adapts to. */
export async function bundleSize(): Promise<Result[]> {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { ".": core, ...entries } = exports as Record<string, { default?: string }>;
  const results = [
    await sizeOf("turn-limit, all of it", `export * from "${core?.default}"`, 8),
    await sizeOf("turn-limit, TurnLimit alone", `export { TurnLimit } from "${core?.default}"`, 1),
  ];
  for (const [name, { default: file }] of Object.entries(entries)) {
    if (file) results.push(await sizeOf(`turn-limit/${name.slice(2)}`, `export * from "${file}"`));
  }
  return results;
}

async function sizeOf(what: string, contents: string, goalKb?: number): Promise<Result> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? "").length;
  return {
    what: `bundle size of ${what}`,
    measured: `${(bytes / 1000).toFixed(2)} kB gzipped`,
    ...(goalKb && { goal: { text: `at most ${goalKb} kB`, verdict: verdict(bytes <= goalKb * 1000) } }),
  };
}
