/**
 * Lets Pi make a long run with each subject, all of them side by side, turn by turn, and sends the milliseconds of
 * processor time to the parent process. Whatever slows the machine down slows each of them down.
 */
import { threadCpuMs } from "./cpu-time.ts";
import { extensionsFrom, openedAs, turns } from "./pi-subjects.ts";
import { median, type Samples } from "./statistics.ts";
import { openSteppedSession, type SteppedSession } from "./stepped-session.ts";

const rounds = { warmUp: 1, measured: 7 };
const blockLength = 10;

const [folder = "", builds = "{}"] = process.argv.slice(2);
const extensions = extensionsFrom(JSON.parse(builds));
const subjects = Object.keys(extensions);
const samples: Samples<string> = Object.fromEntries(subjects.map((subject) => [subject, []]));
for (let round = -rounds.warmUp; round < rounds.measured; round += 1) {
  const runs = await runSideBySide(rotated(subjects, round));
  if (round >= 0) for (const { subject, ms } of runs) samples[subject]?.push(typicalSum(ms));
}
process.send?.(samples, () => process.exit(0));

interface PiRun {
  subject: string;
  session: SteppedSession;
  /** The time of each turn. */
  ms: number[];
}

async function runSideBySide(order: readonly string[]): Promise<PiRun[]> {
  const runs: PiRun[] = [];
  for (const subject of order) {
    const open = () => openSteppedSession(folder, turns, extensions[subject] ?? []);
    const session = await openedAs(subject, folder, open);
    runs.push({ subject, session, ms: [] });
  }
  for (const { session } of runs) await session.goOn();
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const { session, ms } of rotated(runs, turn)) {
      const start = threadCpuMs();
      const goesOn = await session.goOn();
      ms.push(threadCpuMs() - start);
      if (goesOn !== turn < turns) throw new Error(`A run of ${turns} turns was at turn ${turn}`);
    }
  }
  for (const { session } of runs) session[Symbol.dispose]();
  return runs;
}

/** The same, beginning with another one each time. */
function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const first = (by + items.length) % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/**
 * The time of all turns, where the middle of each ten stands for the ten of them: a pause to collect garbage falls upon
 * whoever happens to be on.
 */
function typicalSum(ms: readonly number[]): number {
  let sum = 0;
  for (let start = 0; start < ms.length; start += blockLength) {
    const block = ms.slice(start, start + blockLength);
    sum += median(block) * block.length;
  }
  return sum;
}
