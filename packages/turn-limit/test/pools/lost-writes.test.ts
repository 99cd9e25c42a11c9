import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createPool, type Store } from "../../src/index.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { alone } from "../helpers/driven.ts";
import { aPool } from "./a-pool.ts";

const folder = mkdtempSync(join(tmpdir(), "turn-limit-lost-"));
afterAll(() => rmSync(folder, { recursive: true }));

const DAY = 86_400_000;

function opened(file: string, now?: () => number): Store {
  const store = sqliteStore(file, now ? { now } : {});
  onTestFinished(() => store.close());
  return store;
}

function memberOf(store: Store, options = {}) {
  const pool = createPool({ id: "shared", turns: 10, store, ...options });
  const { driver } = alone({ pool, turns: "unlimited" });
  let isOver = false;
  const takeTurn = async () => {
    if (isOver) driver.begin();
    const admission = await driver.admitTurn();
    isOver = admission.kind === "stop";
    if (!isOver) driver.turnEnded();
    return admission.kind === "proceed" ? "proceed" : String(Object(admission).why ?? admission.kind);
  };
  return { pool, driver, takeTurn };
}

test("a file that was replaced by an older copy is noticed by every member, and told again what each used [LostWritesAreTold]", async () => {
  const [file, copy] = [join(folder, "restored.db"), join(folder, "copy.db")];
  const store = opened(file);
  const members = [memberOf(store), memberOf(store)];
  for (const { takeTurn } of members) await takeTurn();
  const db = new DatabaseSync(file);
  db.exec(`VACUUM INTO '${copy}'`);
  for (const { takeTurn } of members) await takeTurn();
  expect((await store.read("shared"))?.settled).toEqual({ turns: 4 });
  // As a program that writes the copy over the contents of the file does.
  db.exec(`ATTACH '${copy}' AS copy;
    BEGIN IMMEDIATE; DELETE FROM entries; INSERT INTO entries SELECT * FROM copy.entries; COMMIT`);
  db.close();
  expect((await store.read("shared"))?.settled).toEqual({ turns: 2 });
  for (const { takeTurn } of members)
    expect(await takeTurn()).toMatch(/^The store of pool shared has lost counts: .* The next turn goes on/);
  for (const { takeTurn } of members) expect(await takeTurn()).toBe("proceed");
  expect((await store.read("shared"))?.settled).toEqual({ turns: 6 });
});

test("counts that were lost before a run ends are told again at its end, and that they were lost [LostWritesAreTold]", async () => {
  const { pool, standing } = aPool({ turns: 10 });
  const { driver, warnings } = alone({ pool });
  for (let turn = 0; turn < 3; turn += 1) {
    await driver.admitTurn();
    driver.turnEnded();
  }
  await pool.delete();
  expect(driver.end()?.kind).toBe("completed");
  await driver.shared.done();
  expect(await standing()).toEqual({ settled: { turns: 3 }, held: {}, agents: 0 });
  expect(warnings).toEqual([expect.stringMatching(/^The store of pool .* has lost counts/)]);
});

test("one clock that is 40 days ahead deletes nobody's day, and starts none for the others", async () => {
  const file = join(folder, "clocks.db");
  const start = Date.UTC(2026, 0, 5, 12);
  const [right, wrong] = [opened(file, () => start), opened(file, () => start + 40 * DAY)];
  const day = { per: "day", zone: "UTC" };
  const person = memberOf(right, day);
  for (let turn = 0; turn < 7; turn += 1) expect(await person.takeTurn()).toBe("proceed");
  expect(await memberOf(wrong, day).takeTurn()).toBe("proceed");
  const again = memberOf(right, day);
  let turns = 0;
  while ((await again.takeTurn()) === "proceed") turns += 1;
  expect(turns).toBe(3);
  expect((await right.read("shared@2026-01-05"))?.settled).toEqual({ turns: 10 });
});

test("the record of a day is removed in the end", async () => {
  const file = join(folder, "removed.db");
  let now = Date.UTC(2026, 0, 5, 12);
  const store = opened(file, () => now);
  const day = { per: "day", zone: "UTC" };
  await memberOf(store, day).takeTurn();
  for (const days of [33, 8]) {
    now += days * DAY;
    await memberOf(store, day).takeTurn();
  }
  expect(await store.list()).toEqual(["shared@2026-02-07", "shared@2026-02-15"]);
});

test("a freeze lasts over midnight, until it is lifted [PoolFreezes] [PoolThaws]", async () => {
  const { pool, time } = aPool({ turns: 5, per: "day" });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded();
  await pool.freeze("Enough.");
  time.now += 3 * DAY;
  driver.begin();
  expect(await driver.admitTurn()).toMatchObject({ kind: "stop", why: expect.stringContaining("Enough.") });
  expect((await pool.read()).frozen).toBe("Enough.");
  await pool.unfreeze();
  driver.begin();
  expect((await driver.admitTurn()).kind).toBe("proceed");
});

test("a file of version 1 keeps its counts, its freeze and its members", async () => {
  const file = join(folder, "version-1.db");
  const db = new DatabaseSync(file);
  const record = { settled: { turns: 4 }, held: {}, agents: 0 };
  const head = { limits: { turns: 10 }, extra: { turns: 1 }, questions: {}, done: ["a"] };
  const frozen = { at: 5, why: "Lunch." };
  const member = { id: "ada", name: "Ada", used: { turns: 4 }, holds: {}, paid: {}, turn: 77 };
  db.exec(`PRAGMA application_id = 0x7475726e; PRAGMA user_version = 1;
    CREATE TABLE entries (pool TEXT NOT NULL, member TEXT NOT NULL, until REAL NOT NULL, expires REAL, head TEXT,
      data TEXT NOT NULL, PRIMARY KEY (pool, member)) STRICT, WITHOUT ROWID;
    CREATE INDEX expiring ON entries (expires) WHERE expires IS NOT NULL;`);
  const insert = db.prepare("INSERT INTO entries VALUES (?, ?, ?, NULL, ?, ?)");
  const json = JSON.stringify;
  insert.run('"shared"', "", 0, json(head), json(record));
  insert.run('"shared"', '"ada"', 0, null, json(member));
  insert.run('"daily@2026-01-05"', "", 0, json({ ...head, limits: { turns: 3 } }), json(record));
  insert.run('"daily@2026-01-06"', "", 0, json({ ...head, frozen }), json(record));
  db.close();
  const store = opened(file);
  const found = await store.read("shared");
  expect(found).toMatchObject({
    settled: { turns: 4 },
    state: { limits: { turns: 10 }, extra: { turns: 1 } },
  });
  expect(found?.members).toMatchObject([{ id: "ada", used: { turns: 4 }, isPresent: false }]);
  expect((await store.look("daily@2026-01-07")).terms).toMatchObject({ limits: { turns: 10 }, frozen });
  const { takeTurn } = memberOf(store);
  let turns = 0;
  while ((await takeTurn()) === "proceed") turns += 1;
  expect(turns).toBe(7);
});
