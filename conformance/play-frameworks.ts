import { readdir } from "node:fs/promises";
import { type Contender, type Seen, TAKES_A_NUMBER, type Trial } from "./contender.ts";
import type { Played } from "./document.ts";
import { playToNextDay } from "./next-day.ts";
import { playInProcesses } from "./processes/play-in-processes.ts";
import { markdown, type Row } from "./table.ts";
import { trials } from "./trials.ts";

const INTRODUCTION = `Each framework's own limiter and turn-limit on the framework's real loop, with a test model that counts.

- **requests**: model requests that were sent, those of sub-agents and retries included
- **tools run**: tool calls that executed
- **orphaned calls**: calls without a result in the transcript that the caller gets
- **answer**: did the caller get a final text?
- **reason**: what tells the caller why the run ended

Where a trial needs several processes they are real ones, and turn-limit has its limit in a pool in a SQLite file, unless the
run itself carries it (LangChain, OpenAI Agents).

Where the next day comes, the clock of turn-limit's store goes on by a day as soon as a run waits for it. Earlier runs are not
played: they are in its store, as runs leave them there.

Where turn-limit takes more: an answer after the limit is one request beyond it. Limiters that make the model answer in
the last admitted turn save that request, and the work of that turn.
`;

const sharedFiles = [
  "contender.ts",
  "document.ts",
  "earlier-runs.ts",
  "markdown-table.ts",
  "next-day.ts",
  "our-limits.ts",
  "play-frameworks.ts",
  "run.ts",
  "table.ts",
  "trials.ts",
];

/** Plays every trial with every framework, and returns what was seen as Markdown. */
export async function playFrameworks(): Promise<Played> {
  const contenders = await findContenders();
  const rows: Row[] = [];
  for (const trial of trials) {
    for (const { contender, module } of contenders) {
      rows.push({ trial, contender, seen: await playOne(contender, module, trial) });
    }
  }
  return { text: `${INTRODUCTION}\n${markdown(rows)}`, notPlayed: [] };
}

async function playOne(contender: Contender, module: string, trial: Trial): Promise<Seen | string> {
  if (trial.earlierTurns !== undefined && !contender.ours && !contender.isLack) return TAKES_A_NUMBER;
  if (trial.nextDayComes && contender.ours) return playToNextDay(contender, trial);
  return trial.processes ? playInProcesses(contender, module, trial) : contender.play(trial);
}

async function findContenders(): Promise<{ contender: Contender; module: string }[]> {
  const files = (await readdir(import.meta.dirname)).filter((name) => /(?<!\.test)\.ts$/.test(name)).sort();
  const modules = files.filter((name) => !sharedFiles.includes(name));
  const loaded = await Promise.all(
    modules.map(async (module) => {
      const { contenders }: { contenders: Contender[] } = await import(`./${module}`);
      return contenders.map((contender) => ({ contender, module }));
    }),
  );
  return loaded.flat();
}
