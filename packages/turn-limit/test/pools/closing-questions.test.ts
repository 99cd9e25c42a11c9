import { expect, test } from "vitest";
import type { PoolQuestion } from "../../src/pools/ledger/pool-state.ts";
import { named } from "../helpers/named.ts";
import { aPool } from "./a-pool.ts";

// What comes between the last look at a question and its end.

const question = { kind: "ask", id: 1, ...named("turns"), used: 5, max: 5 } as const;
const DAY = 86_400_000;

/** The first question of a record that is open. */
function openIn(questions: Readonly<Record<string, PoolQuestion>> | undefined): PoolQuestion | undefined {
  return Object.values(questions ?? {}).find(({ reply }) => reply === undefined);
}

test("an answer that comes as the day ends counts, and the question is not asked again [WatchersAskedAgain]", async () => {
  const { pool, store, time } = aPool({ turns: 0, per: "day", askFor: "forever" });
  const { look } = store;
  const told: boolean[] = [];
  store.look = async (record) => {
    const found = await look(record);
    const asked = openIn(found.totals?.state.questions);
    if (!asked || told.length > 0) return found;
    const answer = { kind: "answer", question: asked.id, reply: { more: 3 } } as const;
    told.push((await store.change(record, { ...answer, key: "a person's" })).made);
    time.now += DAY;
    return { ...found, now: time.now };
  };
  expect(await pool.ask(question, new AbortController().signal)).toEqual({ more: 3 });
  expect(told).toEqual([true]);
  expect((await store.list()).length).toBe(1);
});

test("an answer that was given before its time was over counts, though the store could not be looked at until then", async () => {
  const { pool, store } = aPool({ turns: 0, askFor: 30 });
  const { look } = store;
  const told: boolean[] = [];
  store.look = async (record) => {
    const asked = openIn((await look(record)).totals?.state.questions);
    const answer = { kind: "answer", question: asked?.id ?? "", reply: { more: 3 } } as const;
    if (asked) told.push((await store.change(record, { ...answer, key: "a person's" })).made);
    throw new Error("Gone.");
  };
  expect(await pool.ask(question, new AbortController().signal)).toEqual({ more: 3 });
  expect(told).toEqual([true]);
});

test("a question that the store has lost is asked again, and its answer counts", async () => {
  const { pool, store } = aPool({ turns: 0, askFor: "forever" });
  const { look } = store;
  let looks = 0;
  store.look = async (record) => {
    looks += 1;
    if (looks === 1) await store.delete(record);
    const found = await look(record);
    const asked = openIn(found.totals?.state.questions);
    if (looks < 3 || !asked) return found;
    await store.change(record, { kind: "answer", question: asked.id, reply: { more: 3 }, key: "a person's" });
    return look(record);
  };
  expect(await pool.ask(question, new AbortController().signal)).toEqual({ more: 3 });
});

test("a question that was put though the store seemed to fail is withdrawn", async () => {
  const { pool, store } = aPool({ turns: 0 });
  const { change } = store;
  store.change = async (record, made) => {
    const changed = await change(record, made);
    if (made.kind === "ask") throw new Error("Gone.");
    return changed;
  };
  await expect(pool.ask(question, new AbortController().signal)).rejects.toThrow("Gone.");
  expect((await pool.read()).questions).toEqual([]);
});
