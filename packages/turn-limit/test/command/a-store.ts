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
