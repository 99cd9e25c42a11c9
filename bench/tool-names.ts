import type { Builds } from "./builds.ts";
import { threadCpuMs } from "./cpu-time.ts";
import { count, time } from "./format.ts";
import type { Core } from "./governor-workloads.ts";
import { median } from "./statistics.ts";
import { printColumns, verdict } from "./table.ts";

const few = 1_000;
const many = 10_000;
const callsPerSample = 10_000;
const warmUpMs = 200;
const budgetMs = 1_000;
// Whoever copies or searches the names takes ten times as long. A table of them takes a little longer as it grows.
const goal = 1.5;
const headings = [
  "a call of one more tool",
  `of ${count(few)}`,
  `of ${count(many)}`,
  "growth",
  "goal",
  "verdict",
];

/** What a call takes when each is of another tool, and only `bash` has a limit. */
export async function printToolNames({ before, now }: Builds): Promise<void> {
  const rows = [headings];
  if (before) rows.push(["build before", ...cellsOf(await import(before))]);
  rows.push(["this build", ...cellsOf(await import(now))]);
  printColumns(rows);
}

function cellsOf(core: Core): string[] {
  samplesOf(core, few, warmUpMs);
  const ofFew = median(samplesOf(core, few, budgetMs));
  const ofMany = median(samplesOf(core, many, budgetMs));
  const growth = ofMany / ofFew;
  const text = `at most ${goal} times`;
  return [time(ofFew), time(ofMany), `${growth.toFixed(2)} times`, text, verdict(growth <= goal)];
}

/** Nanoseconds per call, as often as the time allows, but at least once. */
function samplesOf(core: Core, names: number, ms: number): number[] {
  const tools = Array.from({ length: names }, (_, index) => `tool-${index}`);
  const samples: number[] = [];
  const end = performance.now() + ms;
  do samples.push(nsPerCall(core, tools));
  while (performance.now() < end);
  return samples;
}

function nsPerCall(core: Core, tools: readonly string[]): number {
  const start = threadCpuMs();
  for (let calls = 0; calls < callsPerSample; calls += tools.length) callEach(core, tools);
  return ((threadCpuMs() - start) * 1e6) / callsPerSample;
}

function callEach({ createGovernor }: Core, tools: readonly string[]): void {
  const governor = createGovernor({ tools: { bash: 5 } });
  governor.prompt();
  governor.beforeTurn();
  for (const tool of tools) {
    const { kind } = governor.beforeStep({ tool });
    if (kind !== "proceed") throw new Error(`The governor decided ${kind} about ${tool}`);
  }
}
