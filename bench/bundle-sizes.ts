import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Build, Builds } from "./builds.ts";
import type { Measurement } from "./measurement.ts";

const goals: Record<string, number> = {
  createGovernor: 10_000,
  "turn-limit/loop": 16_000,
};
const adapterGoal = 20_000;
const adapters = ["pi-agent-core", "ai-sdk", "openai-agents", "langchain", "claude-agent-sdk", "mastra"];

/** What the core adds to a bundle: minified, gzipped, without the host that an entry adapts to. */
export async function bundleSizes({ now, before }: Builds): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  const beforeBundles = before && bundlesOf(before);
  for (const [figure, contents] of Object.entries(bundlesOf(now))) {
    const earlier = beforeBundles?.[figure];
    const goal =
      goals[figure] ?? (adapters.some((name) => figure.endsWith(`/${name}`)) ? adapterGoal : undefined);
    measurements.push({
      figure,
      unit: "bytes",
      now: [await sizeOf(now, contents)],
      before: before && earlier !== undefined ? [await sizeOf(before, earlier)] : undefined,
      goal: goal ? { atMost: goal } : undefined,
    });
  }
  return measurements;
}

/** What is bundled, by name: all of the core, its largest parts alone, and every other entry. */
function bundlesOf({ core }: Build): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(core, "package.json"), "utf8"));
  const { ".": all, ...entries } = exports as Record<string, { default?: string }>;
  const some = (name: string) => `export { ${name} } from "${all?.default}"`;
  const bundles: Record<string, string> = {
    everything: `export * from "${all?.default}"`,
    createGovernor: some("createGovernor"),
    createPool: some("createPool"),
    TurnLimit: some("TurnLimit"),
  };
  for (const [name, { default: file }] of Object.entries(entries)) {
    if (file) bundles[`turn-limit/${name.slice(2)}`] = `export * from "${file}"`;
  }
  return bundles;
}

async function sizeOf({ core }: Build, contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: core },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return gzipSync(outputFiles[0]?.contents ?? "").length;
}
