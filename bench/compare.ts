/**
 * Compares what can limit the runs of one framework, named by its runner, and sends the nanoseconds per turn to the parent
 * process: `compare.ts <runner> <builds by name, as JSON>`.
 */
import { type Build, entryOf } from "./builds.ts";
import { cpuTimePerTurn } from "./cpu-time.ts";
import type { Run, Runner } from "./runners/runner.ts";
import { interleaved, type Samples } from "./statistics.ts";

/** No limiter, the framework's own, or a build of turn-limit. */
type Subject = "none" | "native" | "now" | "before";

/** There are no samples of `native` where a framework has no limiter of its own. */
export interface Comparison {
  framework: string;
  native: string | undefined;
  /** Nanoseconds of processor time per turn. */
  times: { turns: number; ns: Pick<Samples<Subject>, "none" | "now"> & Partial<Samples<Subject>> }[];
}

const work = async () => "done";
const sampleMs = 150;
const secondsPerLength = 12;
const rounds = { warmUp: 2, measured: 31, seconds: secondsPerLength };

const [name = "", json = "{}"] = process.argv.slice(2);
const builds: Record<string, Build> = JSON.parse(json);
const { framework, native, lengths } = await runnerFor("none");
const subjects = ["none", ...(native ? ["native"] : []), ...Object.keys(builds)] as Subject[];
const times: Comparison["times"] = [];
for (const turns of lengths) times.push({ turns, ns: await timesOf(turns) });
const comparison: Comparison = { framework, native, times };
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
  const build = builds[subject];
  // The runner knows the type of its entry. Without a build the limiter is another, which does not use it.
  const adapter = (build && (await import(entryOf(build, runner.entry)))) as never;
  const limiter = subject === "none" || subject === "native" ? subject : "ours";
  return runner.prepare({ turns, limiter, work }, adapter);
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
