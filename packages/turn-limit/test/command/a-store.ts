import type { ListedRun } from "../../src/pools/ledger/listed-run.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { named } from "../helpers/named.ts";

const MINUTE = 60_000;
const DOLLAR = 1e9;
/** The numbers of a member's first request. */
export const FIRST = { incarnation: 1, turn: 1, answered: 0, heard: 0 };

/** Fills a store with pools as agents leave them: one they work on, one of a day, and the day before. */
export async function fill(store: Store): Promise<void> {
  await store.change("research", {
    key: "limits",
    kind: "limits",
    limits: { cost: 5 * DOLLAR, tokens: 2_000_000, turns: 40 },
  });
  const lease = 60 * MINUTE;
  const scout = { id: "m-1", name: "scout: read the docs" };
  const writer = { id: "m-2", name: "writer" };
  await store.take({
    pool: "research",
    member: scout,
    ...FIRST,
    used: { cost: 0.92 * DOLLAR, tokens: 800_000, turns: 6 },
    hold: { cost: 0.1 * DOLLAR },
    lease,
  });
  await store.take({
    pool: "research",
    member: writer,
    ...FIRST,
    used: { cost: 0.5 * DOLLAR, tokens: 400_000, turns: 6 },
    lease,
    leaves: true,
  });
  for (const day of ["2026-11-15", "2026-11-16"]) {
    await store.take({
      pool: `daily@${day}`,
      member: { id: day, name: "pi in ~/site" },
      ...FIRST,
      used: { cost: 18.4 * DOLLAR, "tools.bash": 3 },
      lease,
    });
  }
}

/** A member of `research` asks whether it may go on. `within`: for how long it waits; an hour if left out. */
export async function ask(store: Store, id: string, name = "scout", within = 60 * MINUTE): Promise<void> {
  await store.change("research", {
    key: `ask ${id}`,
    kind: "ask",
    question: { id, member: "m-1", name, ...named("cost", { pool: "research" }), used: 5, max: 5 },
    within,
  });
}

/** A run is listed, at 12 of 25 turns. Tells its record. */
export async function listRun(
  store: Store,
  name = "Pi in ~/site",
  agent = "Pi",
  used: { turns: number; cost: number } = { turns: 12, cost: 0.5 },
): Promise<string> {
  const now = await store.now();
  const id = "5f0c3a51-9f5e-4b1e-8a55-3f5f0f9d6a01";
  const run: ListedRun = {
    ...{ agent, folder: "~/site", host: "laptop", model: "a-model", state: "working" },
    ...{ since: now - 10 * MINUTE, active: now - MINUTE },
    limits: [{ limit: "turns", identity: { kind: "turns" }, used: used.turns, max: 25 }],
    used,
  };
  const record = `run@${id}`;
  // Its first request, and the next ones.
  const numbers = { ...FIRST, turn: used.turns - 11 };
  const times = { lease: 60 * MINUTE, keepFor: 60 * MINUTE };
  await store.take({ pool: record, member: { id, name, run }, ...numbers, used: {}, ...times });
  return record;
}

/** The agent that asked reads each reply of `research` at once, and withdraws its question. Tells the replies. */
export function readReplies(store: Store): Map<string, unknown> {
  const { change } = store;
  const replies = new Map<string, unknown>();
  store.change = async (pool, made) => {
    const changed = await change(pool, made);
    if (made.kind !== "answer" || !changed.made) return changed;
    replies.set(made.question, made.reply);
    await change(pool, { key: `read ${made.question}`, kind: "withdraw", question: made.question });
    return changed;
  };
  return replies;
}
