import { join } from "node:path";
import { type Builds, buildsByName } from "./builds.ts";
import { messageFrom } from "./child.ts";
import { canCountInstructions, instructionsOf } from "./instructions.ts";
import type { Measurement } from "./measurement.ts";
import { turns } from "./pi-subjects.ts";
import { interleaved, type Samples } from "./statistics.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const goal = { atMost: 1.02, compared: "times" } as const;
const countedRounds = { warmUp: 0, measured: 6 };

/** A long run of the real agent loop, with and without the extension. */
export async function piRun(builds: Builds): Promise<Measurement[]> {
  await using folder = await temporaryFolder();
  process.env.PI_CODING_AGENT_DIR = folder.path;
  process.env.PI_MAX_TURNS = String(turns);
  try {
    const byName = buildsByName(builds);
    const isCounted = canCountInstructions();
    const samples = await (isCounted ? countedRuns : timedRuns)(folder.path, JSON.stringify(byName), [
      "without",
      "listening",
      ...Object.keys(byName),
      "unseen",
    ]);
    const { without = [], listening = [], now = [], before, unseen = [] } = samples;
    const unit = isCounted ? "instructions" : "ms";
    return [
      {
        figure: `A run of ${turns} turns`,
        unit,
        now,
        before,
        base: { name: "no extension", samples: without },
        floor: { name: "an extension that only listens to the same events", samples: listening },
        goal,
      },
      {
        figure: `A run of ${turns} turns, seen from elsewhere`,
        unit,
        now,
        base: { name: "a session that is not listed", samples: unseen },
        goal: { atMost: 1, compared: "times" },
      },
    ];
  } finally {
    delete process.env.PI_CODING_AGENT_DIR;
    delete process.env.PI_MAX_TURNS;
  }
}

function countedRuns(folder: string, builds: string, subjects: string[]): Promise<Samples<string>> {
  const script = join(import.meta.dirname, "counted-run.ts");
  return interleaved(subjects, countedRounds, (subject) => instructionsOf(script, [subject, folder, builds]));
}

function timedRuns(folder: string, builds: string): Promise<Samples<string>> {
  return messageFrom("side-by-side.ts", [folder, builds], ["--single-threaded"]);
}
