import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Builds, buildsByName } from "./builds.ts";
import { count } from "./format.ts";
import type { Measurement } from "./measurement.ts";
import { POOL_SIZES } from "./pool-sizes.ts";
import type { SqliteSample, SqliteSubject } from "./sqlite-process.ts";
import { interleaved } from "./statistics.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const rounds = { warmUp: 1, measured: 7 };
const goal = { atLeast: 0.7, compared: "times" } as const;
const goalOfMany = { atLeast: 0.4, compared: "times" } as const;
/** Where it is also measured how long 99 of 100 requests take at most, in milliseconds. */
const slowest = { processes: 8, pools: 1 };
const goalOfSlowest = { atMost: 0.5 } as const;

/** Requests to a store in a file, beside bare transactions that add 1 to a number, with the same settings of SQLite. */
export async function sqlite(builds: Builds): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const size of POOL_SIZES) measurements.push(...(await measured(size, builds)));
  return measurements;
}

async function measured(
  { processes, pools }: (typeof POOL_SIZES)[number],
  builds: Builds,
): Promise<Measurement[]> {
  await using folder = await temporaryFolder();
  const byName = buildsByName(builds);
  const subjects = ["bare", "rows", ...Object.keys(byName)] as SqliteSubject[];
  const children: ChildProcess[] = [];
  try {
    for (let n = 0; n < processes; n += 1) {
      const args = [folder.path, `${pools}`, `${n}`, JSON.stringify(byName)];
      const child = fork(join(import.meta.dirname, "sqlite-process.ts"), args);
      children.push(child);
      // One after the other, for the first one makes the files.
      await once(child, "message");
    }
    const p99: Partial<Record<SqliteSubject, number[]>> = {};
    const { bare, rows, now, before } = await interleaved(subjects, rounds, async (subject) => {
      const samples = await Promise.all(children.map((child) => sampleOf(child, subject)));
      const times = samples.flatMap((sample) => sample.times).toSorted((one, other) => one - other);
      p99[subject] = [...(p99[subject] ?? []), times[Math.floor(times.length * 0.99)] ?? Number.NaN];
      return samples.reduce((sum, { perSecond }) => sum + perSecond, 0);
    });
    const where = `${count(processes)} ${processes === 1 ? "process" : "processes"}, ${count(pools)} ${pools === 1 ? "pool" : "pools"}`;
    const rates: Measurement = {
      figure: `Requests, ${where}`,
      unit: "per second",
      now,
      before,
      base: { name: "a bare transaction", samples: bare },
      floor: { name: "one that does no more than it must", samples: rows },
      goal: processes >= 64 ? goalOfMany : goal,
    };
    if (processes !== slowest.processes || pools !== slowest.pools) return [rates];
    const measuredRounds = (subject: SqliteSubject) => (p99[subject] ?? []).slice(rounds.warmUp);
    const slow: Measurement = {
      figure: `99 of 100 requests take at most, ${where}`,
      unit: "ms",
      now: measuredRounds("now"),
      before: before && measuredRounds("before"),
      base: { name: "a bare transaction", samples: measuredRounds("bare") },
      goal: goalOfSlowest,
    };
    return [rates, slow];
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
  }
}

async function sampleOf(child: ChildProcess, subject: SqliteSubject): Promise<SqliteSample> {
  child.send(subject);
  const [sample] = await once(child, "message");
  return sample;
}
