/** Runs the benchmarks one after the other and prints what they measured. A missed goal is no failure. */
import { availableParallelism, loadavg } from "node:os";
import { adapters } from "./adapters.ts";
import { bundleSize } from "./bundle-size.ts";
import { printComparisons } from "./comparison-table.ts";
import { decisions } from "./decisions.ts";
import { growth } from "./growth.ts";
import { longRun } from "./long-run.ts";
import { memory } from "./memory.ts";
import { startUp } from "./start-up.ts";
import { printTable } from "./table.ts";

const [load = 0] = loadavg();
if (load > availableParallelism() / 2) {
  console.log(`This machine is busy (load ${load.toFixed(1)}): take the times with caution.`);
}

const results = [];
for (const benchmark of [bundleSize, decisions, growth, memory, longRun, startUp])
  results.push(...(await benchmark()));
printTable(results);
console.log();
printComparisons(await adapters());
