/** Compares the limiters of one framework, named by its runner, and sends what it measured to the parent process. */
import { cpuTimePerTurn } from "./cpu-time.ts";
import { keptBytes } from "./kept-bytes.ts";
import type { Limiter, Run, Runner } from "./runners/runner.ts";
import { interleaved, type Samples } from "./statistics.ts";

/** `again` is a second measurement without a limiter: the difference between the two is noise. */
export type Subject = Limiter | "again";

/** The limiters of a framework. There are no samples of `native` where it has none of its own. */
export interface Comparison {
  framework: string;
  native: string | undefined;
  /** Nanoseconds of processor time per turn. */
  times: { turns: number; ns: Samples<Subject> }[];
  /** Bytes that a run under way keeps. */
  kept: Samples<Limiter>;
}

const work = async () => "done";
const sampleMs = 200;
const budgetMs = 4_500;
const rounds = { least: 5, most: 31 };

async function timesOf({ native, prepare }: Runner, turns: number): Promise<Samples<Subject>> {
  const subjects: Subject[] = ["none", "again", ...(native ? ["native" as const] : []), "ours"];
  const runOf = Object.fromEntries(
    subjects.map((subject) => {
      const limiter = subject === "again" ? "none" : subject;
      return [subject, prepare({ turns, limiter, work })];
    }),
  ) as Record<Subject, Run>;
  // A run may take a thousand times as long in one framework as in another, so the number of runs is measured first.
  const runMs = await warmRunMs(runOf.none, turns);
  const runs = Math.max(1, Math.round(sampleMs / runMs));
  const roundMs = subjects.length * runs * runMs;
  const measured = Math.min(rounds.most, Math.max(rounds.least, Math.round(budgetMs / roundMs)));
  // If a round takes long, the shorter runs have been the warm-up.
  const warmUp = runs > 1 ? 2 : 0;
  return interleaved(subjects, { warmUp, measured }, (subject) =>
    cpuTimePerTurn(runOf[subject], turns, runs),
  );
}

async function warmRunMs(run: Run, turns: number): Promise<number> {
  for (let runs = 1; ; runs *= 2) {
    const start = performance.now();
    await cpuTimePerTurn(run, turns, runs);
    const ms = performance.now() - start;
    if (ms >= sampleMs) return ms / runs;
  }
}

const [name] = process.argv.slice(2);
const { runner } = (await import(`./runners/${name}.ts`)) as { runner: Runner };
const times: Comparison["times"] = [];
for (const turns of runner.lengths) times.push({ turns, ns: await timesOf(runner, turns) });
const kept = await keptBytes(runner);
const comparison: Comparison = { framework: runner.framework, native: runner.native, times, kept };
// The runs that were left under way must not keep this process.
process.send?.(comparison, () => process.exit(0));
