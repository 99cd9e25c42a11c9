/** Runs the benchmarks one after the other and prints one table. A missed goal is no failure. */
import { availableParallelism, loadavg } from "node:os";
import { bundleSize } from "./bundle-size.ts";
import { decisions } from "./decisions.ts";
import { longRun } from "./long-run.ts";
import { memory } from "./memory.ts";
import { startUp } from "./start-up.ts";
import { printTable } from "./table.ts";

const [load = 0] = loadavg();
if (load > availableParallelism() / 2) {
  console.log(`This machine is busy (load ${load.toFixed(1)}): take the start-up times with caution.`);
}

const results = [];
for (const benchmark of [bundleSize, decisions, memory, longRun, startUp])
  results.push(...(await benchmark()));
printTable(results);
