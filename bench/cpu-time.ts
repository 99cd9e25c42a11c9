import type { Run } from "./runners/Runner.ts";

/**
 * The processor time of some runs, one after the other, in nanoseconds per turn. Not the clock's, which also counts
 * whatever else the machine does meanwhile.
 */
export async function cpuTimePerTurn(run: Run, turns: number, runs: number): Promise<number> {
  // Only the young garbage of the sample before: after a full collection the next sample would warm up all over again.
  globalThis.gc?.({ type: "minor" });
  const start = process.cpuUsage();
  for (let made = 0; made < runs; made += 1) {
    const requests = await run();
    if (requests !== turns) throw new Error(`A run took ${requests} requests instead of ${turns}`);
  }
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1000) / (turns * runs);
}
