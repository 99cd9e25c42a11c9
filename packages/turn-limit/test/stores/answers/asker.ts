/**
 * Asks questions until it is told to end: `node asker.js <store> <number of the process>`. Half of them are those of listed
 * runs, half are asked in pools, each several at once. Some are answered here, some are withdrawn, some run out of time.
 */
import { once } from "node:events";
import { limitLoop } from "../../../src/adapters/loop/index.ts";
import { listIn } from "../../../src/pools/listing/list-in.ts";
import { createPool } from "../../../src/pools/pool.ts";
import { pause } from "../../../src/run/pause.ts";
import { chance, numbers, say } from "./log.ts";
import { openStore } from "./open-store.ts";

const AT_ONCE = 10;
const LONGEST = 1_500;
const POOLS = ["one", "two"];

const [place = "", number = "0"] = process.argv.slice(2);
const store = openStore(place);
const next = numbers(Number(number));
let isEnding = false;
let asked = 0;

function newQuestion(): string {
  asked += 1;
  return `question ${number}-${asked}`;
}

/** Aborted after a while, or never. */
function someSignal(): AbortSignal {
  return chance(0.1) ? AbortSignal.timeout(Math.ceil(Math.random() * LONGEST)) : new AbortController().signal;
}

async function askInRun(question: string): Promise<void> {
  const own = chance(0.3) ? next() : undefined;
  const listed = listIn(store, { agent: "asker", name: question, every: 300 });
  const loop = limitLoop({
    turns: 0,
    listed,
    onWarning: () => {},
    ask: async (asked, signal, run) => {
      if (own === undefined) return listed.ask(asked, signal, run);
      await pause(Math.random() * LONGEST, signal);
      return { more: own };
    },
  });
  const signal = someSignal();
  loop.begin();
  const turn = await loop.nextTurn(signal);
  const max = loop.view.standings.find(({ limit }) => limit === "turns")?.max;
  if (turn) loop.turnEnded();
  loop.end();
  await loop.poolsSettled();
  const reply = turn && typeof max === "number" ? max : undefined;
  const isOwn = reply !== undefined && reply === own;
  say({
    said: "closed",
    question,
    ...(reply !== undefined && { reply }),
    ...(isOwn && { own }),
    isAborted: signal.aborted,
  });
}

async function askInPool(question: string, id: string): Promise<void> {
  const pool = createPool({
    id,
    turns: 1,
    store,
    lookEvery: 50,
    askFor: 100 + Math.ceil(Math.random() * LONGEST),
  });
  const signal = someSignal();
  const asked = { kind: "ask", id: 1, limit: "turns", identity: { kind: "turns" }, used: 1, max: 1 } as const;
  const reply = await pool.ask(asked, signal, { id: question, name: question }).catch(() => undefined);
  const more = typeof reply === "object" ? reply.more : undefined;
  say({ said: "closed", question, ...(more !== undefined && { reply: more }), isAborted: signal.aborted });
}

async function askOn(ask: (question: string) => Promise<void>): Promise<void> {
  while (!isEnding) {
    const question = newQuestion();
    say({ said: "asked", question });
    await ask(question);
  }
}

const all = POOLS.map((id) => (question: string) => askInPool(question, id));
const asking = [askInRun, ...all].flatMap((ask, place) =>
  Array.from({ length: place === 0 ? AT_ONCE : Math.ceil(AT_ONCE / 2) }, () => askOn(ask)),
);
await once(process.stdin, "data");
isEnding = true;
await Promise.all(asking);
await store.close();
process.stdin.destroy();
