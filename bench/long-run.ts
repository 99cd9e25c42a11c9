import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { openFauxSession } from "./faux-session.ts";
import { interleaved, median, ratio } from "./statistics.ts";
import type { Result } from "./table.ts";

const turns = 500;
const rounds = { warmUp: 2, measured: 15 };
const goal = 1.02;

const turnLimit: ExtensionFactory = createRequire(import.meta.url)("pi-turn-limit");
const extensionsOf = { without: [], again: [], with: [turnLimit] };

/** A long run of the real agent loop in this process, with and without the extension. */
export async function longRun(): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-bench-"));
  process.env.PI_CODING_AGENT_DIR = folder;
  process.env.PI_MAX_TURNS = String(turns);
  try {
    const ms = await interleaved(["without", "again", "with"], rounds, (subject) =>
      cpuTime(folder, extensionsOf[subject]),
    );
    const times = ratio(ms.with, ms.without);
    return [
      {
        what: `${turns}-turn run in process, with turn-limit`,
        without: milliseconds(ms.without),
        measured: milliseconds(ms.with),
        difference: `${times.toFixed(3)} times`,
        goal: { text: `at most ${goal} times`, met: times <= goal },
      },
      {
        what: "the same, both times without: the noise",
        without: milliseconds(ms.without),
        measured: milliseconds(ms.again),
        difference: `${ratio(ms.again, ms.without).toFixed(3)} times`,
      },
    ];
  } finally {
    delete process.env.PI_CODING_AGENT_DIR;
    delete process.env.PI_MAX_TURNS;
    await rm(folder, { recursive: true, force: true });
  }
}

// Processor time, because the clock also counts whatever else the machine does meanwhile.
async function cpuTime(folder: string, extensions: ExtensionFactory[]): Promise<number> {
  const { session, requests } = await openFauxSession(folder, turns, extensions);
  globalThis.gc?.();
  const start = process.cpuUsage();
  await session.prompt("Go.");
  const { user, system } = process.cpuUsage(start);
  session.dispose();
  if (requests() !== turns) throw new Error(`The run took ${requests()} turns instead of ${turns}`);
  return (user + system) / 1000;
}

function milliseconds(samples: number[]): string {
  return `${median(samples).toFixed(0)} ms`;
}
