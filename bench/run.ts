/**
 * Runs the benchmarks one after the other and prints what they measured. A missed goal is no failure.
 *
 * All of them: `npm run bench`. Some: `npm run bench -- governor long-run`.
 * The governor is measured beside an earlier build: `--before <folder of a built core>` or `--before-rev <revision>`.
 */
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { madeFrom } from "../scripts/made-from.mjs";
import { adapters } from "./adapters.ts";
import { bundleBuilds } from "./builds.ts";
import { bundleSize } from "./bundle-size.ts";
import { printComparisons } from "./comparison-table.ts";
import { gateway } from "./gateway.ts";
import { printGovernorTurns } from "./governor-turns.ts";
import { growth } from "./growth.ts";
import { longRun } from "./long-run.ts";
import { memory } from "./memory.ts";
import { redis } from "./redis.ts";
import { sqlite } from "./sqlite.ts";
import { startUp } from "./start-up.ts";
import { printTable, type Result } from "./table.ts";
import { printToolNames } from "./tool-names.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { before: { type: "string" }, "before-rev": { type: "string" } },
});

const lines: Record<string, () => Result[] | Promise<Result[]>> = {
  sizes: bundleSize,
  growth,
  memory,
  "long-run": longRun,
  "start-up": startUp,
  redis,
  sqlite,
  gateway,
};
const besideBefore = { governor: printGovernorTurns, "tool-names": printToolNames };
const names = [...Object.keys(lines), ...Object.keys(besideBefore), "adapters"];
const unknown = positionals.find((name) => !names.includes(name));
if (unknown) throw new Error(`There is no benchmark ${unknown}, only ${names.join(", ")}`);
const isChosen = (name: string) => positionals.length === 0 || positionals.includes(name);

console.log(`Measured with ${madeFrom(join(import.meta.dirname, ".."))}, on Node ${process.versions.node}`);
const [load = 0] = loadavg();
if (load > availableParallelism() / 2) {
  console.log(`This machine is busy (load ${load.toFixed(1)}): take the times with caution.`);
}

const results: Result[] = [];
for (const [name, measure] of Object.entries(lines)) if (isChosen(name)) results.push(...(await measure()));
if (results.length > 0) printTable(results);

const chosen = Object.entries(besideBefore).filter(([name]) => isChosen(name));
if (chosen.length > 0) {
  await using builds = await bundleBuilds({ folder: values.before, revision: values["before-rev"] });
  for (const [, print] of chosen) {
    console.log();
    await print(builds);
  }
}

if (isChosen("adapters")) {
  console.log();
  printComparisons(await adapters());
}
