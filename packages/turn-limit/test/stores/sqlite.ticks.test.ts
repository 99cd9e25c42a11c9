import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { Store, Take } from "../../src/pools/ledger/store.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { testMember } from "../../src/testing/store-contract/test-member.ts";

const root = mkdtempSync(join(tmpdir(), "turn-limit-ticks-"));
afterAll(() => rmSync(root, { recursive: true }));

function opened(name: string, now?: () => number) {
  const file = join(root, name);
  const store = sqliteStore(file, { timeout: 600_000, ...(now && { now }) });
  onTestFinished(() => store.close());
  return { file, store };
}

test("of what is asked in one tick each is granted by what is left after those before", async () => {
  const { store } = opened("tick.db");
  const taken = await Promise.all(
    Array.from({ length: 40 }, (_, place) =>
      testMember(store, "a tick", `member ${place}`).take({ want: { turns: 1 }, limits: { turns: 25 } }),
    ),
  );
  expect(taken.filter(({ kind }) => kind === "granted")).toHaveLength(25);
  expect(taken.map(({ settled }) => settled.turns)).toEqual(taken.map((_, place) => Math.min(25, place + 1)));
  expect((await store.read("a tick"))?.settled).toEqual({ turns: 25 });
});

test("of the requests of one tick one that finds damage fails alone", async () => {
  const { file, store } = opened("damaged.db");
  const [ada, bob] = [testMember(store, "whole", "ada"), testMember(store, "damaged", "bob")];
  await Promise.all([ada.take({ want: { turns: 1 } }), bob.take({ want: { turns: 1 } })]);
  const other = new DatabaseSync(file);
  other.exec(`UPDATE entries SET data = '[]' WHERE pool = '"damaged"'`);
  other.close();
  const results = await Promise.allSettled([
    ada.take({ want: { turns: 1 } }),
    bob.take({ want: { turns: 1 } }),
    testMember(store, "whole", "eve").take({ want: { turns: 1 } }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect((await store.look("whole")).totals?.settled).toEqual({ turns: 3 });
});

test("what others wrote between two requests of a member is what the second one decides by", async () => {
  const { file, store } = opened("others.db");
  const another = sqliteStore(file, { timeout: 600_000 });
  onTestFinished(() => another.close());
  const [ada, bob] = [testMember(store, "shared", "ada"), testMember(another, "shared", "bob")];
  const request = { want: { turns: 1 }, limits: { turns: 5 } };
  const kinds: string[] = [];
  for (const member of [ada, ada, bob, ada, bob, ada, bob]) kinds.push((await member.take(request)).kind);
  expect(kinds).toEqual(["granted", "granted", "granted", "granted", "granted", "refused", "refused"]);
  await another.change("shared", { kind: "reset", key: "1" });
  expect((await ada.take(request)).settled).toEqual({ turns: 1 });
  await store.change("shared", { kind: "freeze", why: "lunch", key: "2" });
  expect((await ada.take(request)).kind).toBe("frozen");
});

test("what was answered does not change with later requests", async () => {
  const { store } = opened("answers.db");
  const ada = testMember(store, "shared", "ada");
  const answers = [];
  for (let n = 0; n < 3; n += 1)
    answers.push(await ada.take({ want: { turns: 1 }, hold: { tokens: 10 }, limits: { tokens: 99 } }));
  expect(answers.map(({ settled }) => settled)).toEqual([{ turns: 1 }, { turns: 2 }, { turns: 3 }]);
});

test("many members that come, are silent and leave at once are remembered and forgotten as by the rules", async () => {
  const START = Date.UTC(2030, 0, 1);
  let now = START;
  const { store: sqlite } = opened("crowd.db", () => now);
  const memory = memoryStore({ now: () => now });
  const ids = Array.from({ length: 350 }, (_, place) => `member ${place + 1000}`);
  const requests = (turn: number, more: Partial<Take>) =>
    ids.map((id) => {
      const numbers = { incarnation: 1, turn, answered: turn - 1, heard: START };
      const said = { used: {}, hold: { cost: 2 }, limits: { cost: 500 }, lease: 1000 };
      return { pool: "crowd", member: { id, name: id }, ...numbers, ...said, ...more };
    });
  const inOrder = (found: Awaited<ReturnType<Store["read"]>>) =>
    found && { ...found, members: found.members.toSorted((one, other) => (one.id < other.id ? -1 : 1)) };
  const both = async (what: (store: Store) => Promise<unknown>) =>
    expect(await what(sqlite)).toEqual(await what(memory));
  const all = (takes: Take[]) => (store: Store) => Promise.all(takes.map((take) => store.take(take)));
  await both(all(requests(1, {})));
  now += 500;
  await both(all(requests(2, { used: { cost: 1 } }).slice(0, 20)));
  now += 600;
  // The leases of 330 are over, and nothing was asked since.
  await both((store) => store.look("crowd"));
  await both(async (store) => inOrder(await store.read("crowd")));
  await both(all(requests(3, { used: { cost: 3 }, leaves: true }).slice(0, 20)));
  await both((store) => store.look("crowd"));
});
