import { setImmediate } from "node:timers/promises";
import type { Limiter, Runner } from "./runners/runner.ts";
import { interleaved, type Samples } from "./statistics.ts";

const runs = 200;
const rounds = { warmUp: 1, measured: 3 };

/** The memory that a run under way holds, in bytes: many runs at once, each within its first tool call. */
export function keptBytes(runner: Runner): Promise<Samples<Limiter>> {
  const limiters: Limiter[] = runner.native ? ["none", "native", "ours"] : ["none", "ours"];
  return interleaved(limiters, rounds, (limiter) => keptWith(runner, limiter));
}

async function keptWith(runner: Runner, limiter: Limiter): Promise<number> {
  // Code that awaits a promise stays in memory as long as the promise can still be resolved.
  const underWay: ((text: string) => void)[] = [];
  const work = () => new Promise<string>((resolve) => void underWay.push(resolve));
  const run = runner.prepare({ turns: 1_000_000, limiter, work });
  const before = await heap();
  for (let begun = 0; begun < runs; begun += 1) void run();
  while (underWay.length < runs) await setImmediate();
  const after = await heap();
  return (after - before) / underWay.length;
}

async function heap(): Promise<number> {
  const gc = globalThis.gc;
  if (!gc) throw new Error("Memory can only be measured with node --expose-gc");
  // More than once: what earlier runs left behind is freed step by step.
  for (let times = 0; times < 4; times += 1) {
    await setImmediate();
    gc();
  }
  return process.memoryUsage().heapUsed;
}
