import type { Run } from "./runners/runner.ts";

const cell = new Int32Array(new SharedArrayBuffer(4));

/** The milliseconds of processor time of this thread, which do not count what else the machine does meanwhile. */
export function threadCpuMs(): number {
  nap();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The processor time of some runs, one after the other, in nanoseconds per turn. */
export async function cpuTimePerTurn(run: Run, turns: number, runs: number): Promise<number> {
  // A minor collection, of what the last sample left: after a full one the next sample would have to warm up again.
  globalThis.gc?.({ type: "minor" });
  nap();
  const start = process.cpuUsage();
  for (let made = 0; made < runs; made += 1) {
    const requests = await run();
    if (requests !== turns) throw new Error(`A run took ${requests} requests instead of ${turns}`);
  }
  nap();
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1000) / (turns * runs);
}

/** Linux brings the time of a thread up to date when it stops, and otherwise only every few milliseconds. */
function nap(): void {
  Atomics.wait(cell, 0, 0, 0.05);
}
