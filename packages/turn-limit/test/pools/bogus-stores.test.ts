import { expect, test } from "vitest";
import { limitLoop } from "../../src/adapters/loop/index.ts";
import { createPool, listIn, memoryStore } from "../../src/index.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { parkRun } from "../../src/pools/listing/parked-runs.ts";
import { pause } from "../../src/run/pause.ts";

// Stores that people write themselves, and servers that others write to, say what they should not.

/** A store that says of every request that a later one came before. */
function alwaysLate(): Store {
  const store = memoryStore();
  return { ...store, take: async (take) => ({ ...(await store.take(take)), kind: "late" }) };
}

test("a run that is listed in a store that always answers `late` takes its turns, and says so", async () => {
  const warnings: string[] = [];
  const listed = listIn(alwaysLate(), { every: 1 });
  const loop = limitLoop({ turns: 2, listed, onWarning: (message) => warnings.push(message) });
  loop.begin();
  await loop.nextTurn();
  loop.turnEnded();
  while (warnings.length === 0) await pause(5);
  await loop.nextTurn();
  loop.turnEnded();
  expect(await loop.nextTurn()).toBeUndefined();
  expect(loop.end()).toMatchObject({ kind: "stopped", turns: 2 });
  expect(warnings).toEqual([
    "This run cannot be seen from elsewhere: it says of every request that a later one came before.",
  ]);
});

test("a pool in such a store grants nothing, and says why", async () => {
  const pool = createPool({ id: "shared", turns: 5, store: alwaysLate() });
  const loop = limitLoop({ turns: 9, pool, onWarning: () => {} });
  loop.begin();
  expect(await loop.nextTurn()).toBeUndefined();
  expect(loop.end()).toMatchObject({
    kind: "stopped",
    turns: 0,
    why: "The store of pool shared cannot be used: it says of every request that a later one came before.",
  });
});

test("no run is parked in it", async () => {
  const run = { agent: "loop", limits: [], used: {}, state: "working", since: 0, active: 0, parked: {} };
  const question = { limit: "turns", used: 2, max: 2 };
  const parking = parkRun(alwaysLate(), { id: "a", name: "nightly", run, question } as never);
  await expect(parking).rejects.toThrow("it says of every request that a later one came before");
});

test.each<[unknown, string]>([
  [{}, "reply must be true, false"],
  [{ more: "5" }, 'reply.more must be a whole number of 1 or more, not "5"'],
  [{ more: 2.5 }, "reply.more must be a whole number of 1 or more, not 2.5"],
  ["maybe", "reply must be true, false"],
])("a reply of %j in the store is said to be a no, and is one", async (reply, why) => {
  const store = memoryStore();
  const warnings: string[] = [];
  const listed = listIn(store, { every: 1 });
  const { ask } = listed;
  const loop = limitLoop({ turns: 1, listed, ask, onWarning: (message) => warnings.push(message) });
  loop.begin();
  await loop.nextTurn();
  loop.turnEnded();
  const second = loop.nextTurn();
  const question = async () => Object.keys((await store.runs())[0]?.state.questions ?? {})[0];
  while ((await question()) === undefined) await pause(5);
  const [record] = await store.runs();
  const answer = {
    kind: "answer",
    question: (await question()) ?? "",
    reply: reply as never,
    key: "1",
  } as const;
  expect((await store.change(record?.pool ?? "", answer)).made).toBe(true);
  expect(await second).toBeUndefined();
  expect(loop.end()).toMatchObject({ kind: "declined", turns: 1 });
  expect(warnings).toEqual([expect.stringContaining(why), "Answered elsewhere: no."]);
  expect(warnings[0]).toMatch(/It is taken for a no\.$/);
});
