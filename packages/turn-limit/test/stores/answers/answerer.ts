/** Answers every question that is open, as fast as it can: `node answerer.js <store> <number of the process>`. */
import { CommandError } from "../../../src/command/command-error.ts";
import { makeChange } from "../../../src/command/pools/changes.ts";
import { isOpen } from "../../../src/pools/ledger/listed-run.ts";
import type { PoolQuestion } from "../../../src/pools/ledger/pool-state.ts";
import { pause } from "../../../src/run/pause.ts";
import { chance, numbers, say } from "./log.ts";
import { openStore } from "./open-store.ts";

const POOLS = ["one", "two"];
const [place = "", number = "0"] = process.argv.slice(2);
const store = openStore(place);
const next = numbers(Number(number));

async function openQuestions(): Promise<[record: string, PoolQuestion][]> {
  const pools = await Promise.all(POOLS.map((pool) => store.read(pool)));
  const records = [...(await store.runs()), ...pools].filter((record) => record !== undefined);
  return records.flatMap(({ pool, state, now }) =>
    Object.values(state.questions)
      .filter((question) => isOpen(question, now))
      .map((question): [string, PoolQuestion] => [pool, question]),
  );
}

async function answer(record: string, { id, name }: PoolQuestion): Promise<void> {
  const number = next();
  const change = { kind: "answer", question: id, reply: { more: number } } as const;
  say({ said: "tries", answer: number, question: name });
  try {
    await makeChange(store, record, change, { where: "on the phone", to: name });
    say({ said: "made", answer: number });
  } catch (error) {
    say({ said: error instanceof CommandError ? "late" : "failed", answer: number });
  }
}

for (;;) {
  const open = await openQuestions().catch(() => []);
  // Some are left for when they are about to close.
  const chosen = open.filter(() => chance(0.4));
  await Promise.all(chosen.map(([record, question]) => answer(record, question)));
  await pause(20 + Math.random() * 60);
}
