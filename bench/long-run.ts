import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageFrom } from "./child.ts";
import { times } from "./format.ts";
import { canCountInstructions, instructionsOf } from "./instructions.ts";
import { type PiSubject, subjects, turns } from "./pi-subjects.ts";
import { interleaved, meanRatio, median, type Samples } from "./statistics.ts";
import { type Result, verdictOf } from "./table.ts";

const goal = 1.02;
const countedRounds = { warmUp: 0, measured: 5 };

/** A long run of the real agent loop, with and without the extension. */
export async function longRun(): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-bench-"));
  process.env.PI_CODING_AGENT_DIR = folder;
  process.env.PI_MAX_TURNS = String(turns);
  try {
    if (canCountInstructions()) {
      return resultsOf(await countedRuns(folder), (count) => `${(count / 1e9).toFixed(3)} G instructions`);
    }
    const ms = await messageFrom<Samples<PiSubject>>("side-by-side.ts", [folder], ["--single-threaded"]);
    return resultsOf(ms, (value) => `${value.toFixed(0)} ms`);
  } finally {
    delete process.env.PI_CODING_AGENT_DIR;
    delete process.env.PI_MAX_TURNS;
    await rm(folder, { recursive: true, force: true });
  }
}

function countedRuns(folder: string): Promise<Samples<PiSubject>> {
  const script = join(import.meta.dirname, "counted-run.ts");
  return interleaved(subjects, countedRounds, (subject) => instructionsOf(script, [subject, folder]));
}

function resultsOf(samples: Samples<PiSubject>, show: (value: number) => string): Result[] {
  const compared = (what: string, subject: PiSubject) => {
    const ratios = samples[subject].map((value, round) => value / (samples.without[round] ?? Number.NaN));
    const interval = meanRatio(ratios);
    const result: Result = {
      what: `${turns}-turn run in Pi, ${what}`,
      without: show(median(samples.without)),
      measured: show(median(samples[subject])),
      difference: `${times(interval)} times`,
    };
    return { result, interval };
  };
  const { result, interval } = compared("with turn-limit", "ours");
  return [
    { ...result, goal: { text: `at most ${goal} times`, verdict: verdictOf(interval, goal) } },
    compared("an extension that only listens to the same events", "listening").result,
    compared("an empty extension", "empty").result,
    compared("without once more: the noise", "again").result,
  ];
}
