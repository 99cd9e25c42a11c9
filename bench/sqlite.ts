import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { count, time, times } from "./format.ts";
import { POOL_SIZES } from "./pool-sizes.ts";
import type { SqliteSample, SqliteSubject } from "./sqlite-process.ts";
import { interleaved, median, ratio, ratioRange } from "./statistics.ts";
import { type Result, verdictOfAtLeast } from "./table.ts";

const rounds = { warmUp: 1, measured: 9 };
const goal = 0.7;

/** Requests to a store in a file, beside bare transactions that add 1 to a number, with the same settings of SQLite. */
export async function sqlite(): Promise<Result[]> {
  const results: Result[] = [];
  for (const { processes, pools } of POOL_SIZES) results.push(...(await measured(processes, pools)));
  return results;
}

async function measured(processes: number, pools: number): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "turn-limit-bench-"));
  const children: ChildProcess[] = [];
  try {
    for (let n = 0; n < processes; n += 1) {
      const child = fork(join(import.meta.dirname, "sqlite-process.ts"), [folder, `${pools}`, `${n}`]);
      children.push(child);
      // One after the other, for the first one makes the files.
      await once(child, "message");
    }
    const slowest: Record<SqliteSubject, number[]> = { bare: [], ours: [] };
    const rates = await interleaved(["bare", "ours"], rounds, async (subject) => {
      const samples = await Promise.all(children.map((child) => sampleOf(child, subject)));
      slowest[subject].push(median(samples.map(({ p99 }) => p99)));
      return samples.reduce((sum, { perSecond }) => sum + perSecond, 0);
    });
    const [low, high] = ratioRange(rates.ours, rates.bare);
    const interval = { middle: ratio(rates.ours, rates.bare), low, high };
    const where = `${count(processes)} ${processes === 1 ? "process" : "processes"}, ${count(pools)} ${pools === 1 ? "pool" : "pools"}`;
    return [
      {
        what: `SQLite, requests a second, ${where}`,
        without: count(Math.round(median(rates.bare))),
        measured: count(Math.round(median(rates.ours))),
        difference: times(interval),
        goal: { text: `at least ${goal}`, verdict: verdictOfAtLeast(interval, goal) },
      },
      {
        what: `SQLite, 99 of 100 take at most, ${where}`,
        without: time(median(slowest.bare.slice(rounds.warmUp))),
        measured: time(median(slowest.ours.slice(rounds.warmUp))),
      },
    ];
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
    rmSync(folder, { recursive: true });
  }
}

async function sampleOf(child: ChildProcess, subject: SqliteSubject): Promise<SqliteSample> {
  child.send(subject);
  const [sample] = await once(child, "message");
  return sample;
}
