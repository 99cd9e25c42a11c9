/**
 * Compares what can limit the runs of one framework, named by its runner, and sends the nanoseconds per turn to the parent
 * process: `compare.ts <runner> <builds by name, as JSON> <folder>`.
 */
import { join } from "node:path";
import { type Build, entryOf } from "./builds.ts";
import { cpuTimePerTurn } from "./cpu-time.ts";
import type { Limiter, Listed, Run, Runner } from "./runners/runner.ts";
import { interleaved, type Samples } from "./statistics.ts";

/** What is no build of turn-limit. */
type Other = Exclude<Limiter, "ours">;
type Subject = Other | "now" | "before" | "seen";

/**
 * There are no samples of `native` where a framework has no limiter of its own, none of `hooks` where it has none, and none
 * of `seen` where a run is not listed.
 */
export interface Comparison {
  framework: string;
  native: string | undefined;
  hooks: string | undefined;
  /** Nanoseconds of processor time per turn. */
  times: { turns: number; ns: Pick<Samples<Subject>, "none" | "now"> & Partial<Samples<Subject>> }[];
}

const work = async () => "done";
const sampleMs = 100;
// Finding out how many runs a sample has warms up, too.
const rounds = { warmUp: 1, measured: 31, seconds: 7 };

const [name = "", json = "{}", folder = ""] = process.argv.slice(2);
const builds: Record<string, Build> = JSON.parse(json);
const { framework, native, hooks, lengths, seen } = await runnerFor("none");
const others: Other[] = [
  "none",
  ...(native ? ["native" as const] : []),
  ...(hooks ? ["hooks" as const] : []),
];
const subjects = [...others, ...Object.keys(builds), ...(seen ? ["seen"] : [])] as Subject[];
const times: Comparison["times"] = [];
for (const turns of lengths) times.push({ turns, ns: await timesOf(turns) });
const comparison: Comparison = { framework, native, hooks, times };
process.send?.(comparison, () => process.exit(0));

async function timesOf(turns: number): Promise<Samples<Subject>> {
  const runOf = {} as Record<Subject, Run>;
  for (const subject of subjects) runOf[subject] = await runFor(subject, turns);
  const runs = {} as Record<Subject, number>;
  for (const subject of subjects) runs[subject] = await runsPerSample(runOf[subject], turns);
  return interleaved(subjects, rounds, (subject) => cpuTimePerTurn(runOf[subject], turns, runs[subject]));
}

async function runFor(subject: Subject, turns: number): Promise<Run> {
  const runner = await runnerFor(subject);
  const build = subject === "seen" ? builds.now : builds[subject];
  // The runner knows the type of its entry. Without a build the limiter is another, which does not use it.
  const adapter = (build && (await import(entryOf(build, runner.entry)))) as never;
  const limiter = build ? "ours" : (subject as Other);
  const listed = build && subject === "seen" ? await listedBy(build) : {};
  return runner.prepare({ turns, limiter, work, listed }, adapter);
}

/** In a file, as it is for people. */
async function listedBy(build: Build): Promise<Listed> {
  const { listIn }: typeof import("turn-limit") = await import(entryOf(build, "."));
  const { sqliteStore }: typeof import("turn-limit/stores/sqlite") = await import(
    entryOf(build, "./stores/sqlite")
  );
  return { listed: listIn(sqliteStore(join(folder, "runs.sqlite"))) };
}

/** Loaded once for each subject: shared code that has seen several builds is slower with each of them. */
async function runnerFor(subject: Subject): Promise<Runner> {
  return (await import(`./runners/${name}.ts?${subject}`)).runner;
}

/** How many runs take about as long as a sample should. Measured, because frameworks differ by a factor of thousands. */
async function runsPerSample(run: Run, turns: number): Promise<number> {
  for (let runs = 1; ; runs *= 2) {
    const start = performance.now();
    await cpuTimePerTurn(run, turns, runs);
    const ms = performance.now() - start;
    if (ms >= sampleMs) return Math.max(1, Math.round((runs * sampleMs) / ms));
  }
}
