import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { InvalidLimit } from "../../src/core/errors/invalid-limit.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { sqliteOf } from "../../src/pools/stores/sqlite/node-sqlite.ts";

const root = mkdtempSync(join(tmpdir(), "turn-limit-files-"));
afterAll(() => rmSync(root, { recursive: true }));

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(root, "test-"));
});

function takeOne(store: Store, options: { pool?: string; keepFor?: number } = {}) {
  const { pool = "shared", keepFor } = options;
  const member = { id: "ada", name: "Ada" };
  return store.take({
    pool,
    member,
    ...{ incarnation: 1, turn: 1, answered: 0, heard: 0 },
    used: { turns: 1 },
    lease: 1_000,
    ...(keepFor !== undefined && { keepFor }),
  });
}

async function used(file: string): Promise<void> {
  const store = sqliteStore(file);
  await takeOne(store);
  await store.close();
}

test("the file is its owner's only, and its folder is made", async () => {
  const file = join(folder, "some", "where", "pools.db");
  const store = sqliteStore(file);
  await takeOne(store);
  for (const end of ["", "-wal", "-shm"]) expect(statSync(file + end).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "some")).mode & 0o077).toBe(0);
  await store.close();
});

test.each(["a b?c#d%20e&f.db", "日本語 🦊.db", ":memory:", "'quote\".db", "no-extension"])(
  "a file can be called %s",
  async (name) => {
    await used(join(folder, name));
    await used(join(folder, name));
    expect(readdirSync(folder)).toEqual([name]);
  },
);

test("links lead to one and the same file, also before there is one", async () => {
  const target = join(folder, "target");
  mkdirSync(target);
  symlinkSync("link-2.db", join(folder, "link-1.db"));
  symlinkSync(join(target, "pools.db"), join(folder, "link-2.db"));
  symlinkSync(target, join(folder, "linked-folder"));
  const paths = ["link-1.db", "link-2.db", "linked-folder/pools.db", "target/../target/pools.db"];
  const stores = paths.map((path) => sqliteStore(join(folder, path)));
  for (const [n, store] of stores.entries()) await takeOne(store, { pool: `pool ${n}` });
  for (const store of stores) expect(await store.list()).toHaveLength(4);
  for (const store of stores) await store.close();
  expect(lstatSync(join(folder, "link-1.db")).isSymbolicLink()).toBe(true);
  expect(statSync(join(target, "pools.db")).mode & 0o777).toBe(0o600);
});

test("the database of another program is left as it is, and so is one of a later version", async () => {
  const setups: [RegExp, string][] = [
    [/belongs to another program/, "CREATE TABLE songs (title TEXT)"],
    [/belongs to another program/, "PRAGMA journal_mode = WAL; CREATE TABLE songs (title TEXT)"],
    [/belongs to another program/, "PRAGMA application_id = 7; CREATE TABLE entries (pool TEXT)"],
    [
      /is of version 99, and this turn-limit knows versions up to \d+\. Update turn-limit/,
      "PRAGMA application_id = 0x7475726e; PRAGMA user_version = 99; CREATE TABLE later (x)",
    ],
  ];
  for (const [n, [expected, sql]] of setups.entries()) {
    const place = join(folder, `${n}`);
    mkdirSync(place);
    const file = join(place, "other.db");
    const other = new DatabaseSync(file);
    other.exec(sql);
    other.close();
    const before = [readFileSync(file), statSync(file).mtimeMs];
    const store = sqliteStore(file);
    await expect(takeOne(store)).rejects.toThrow(expected);
    await expect(store.read("shared")).rejects.toThrow(expected);
    await store.close();
    expect([readFileSync(file), statSync(file).mtimeMs]).toEqual(before);
    expect(readdirSync(place)).toEqual(["other.db"]);
  }
});

test("a database of an earlier version is brought to the current one", async () => {
  const file = join(folder, "pools.db");
  const db = new DatabaseSync(file);
  db.exec("PRAGMA application_id = 0x7475726e");
  await Promise.all([used(file), used(file)]);
  expect(db.prepare("PRAGMA user_version").get()).toMatchObject({ user_version: 4 });
  db.close();
});

test("what is no database, a folder, and a path through a file are refused, and left as they are", async () => {
  const notes = join(folder, "notes.txt");
  writeFileSync(notes, "Buy milk. ".repeat(1_000));
  const refused = (path: string) => expect(takeOne(sqliteStore(path))).rejects;
  await refused(notes).toThrow(
    /The SQLite store .*notes\.txt is damaged, or is no database.* Name another file/,
  );
  await refused(folder).toThrow(/is a folder\. Name a file/);
  await refused(join(notes, "pools.db")).toThrow(/^The SQLite store .* failed \(.*(EEXIST|ENOTDIR)/);
  expect(readFileSync(notes, "utf8")).toBe("Buy milk. ".repeat(1_000));
  for (const path of ["", "a\0b", 5]) expect(() => sqliteStore(path as string)).toThrow(InvalidLimit);
  expect(() => sqliteStore(notes, { timeout: -1 })).toThrow(/timeout must be a whole number/);
});

test("a store that could not be opened is tried again with the next request", async () => {
  const file = join(folder, "pools.db");
  mkdirSync(file);
  const store = sqliteStore(file);
  await expect(takeOne(store)).rejects.toThrow(/is a folder/);
  rmSync(file, { recursive: true });
  expect((await takeOne(store)).kind).toBe("granted");
  await store.close();
  await expect(takeOne(store)).rejects.toThrow(/is closed/);
});

test("expired records do not stay in the file", async () => {
  const file = join(folder, "pools.db");
  let now = 1_000;
  const store = sqliteStore(file, { now: () => now });
  for (const pool of ["monday", "tuesday"]) await takeOne(store, { pool, keepFor: 50_000 });
  await takeOne(store, { pool: "forever" });
  now = 100_000;
  await takeOne(store, { pool: "wednesday", keepFor: 100_000 });
  const db = new DatabaseSync(file, { readOnly: true });
  const pools = db.prepare("SELECT DISTINCT pool FROM entries").all();
  expect(pools.map(({ pool }) => pool)).toEqual(['"forever"', '"wednesday"']);
  db.close();
  await store.close();
});

test("a Node.js without SQLite is told by its version, and a warning of an experiment is not shown", async () => {
  expect(() => sqliteOf("The store", () => undefined)).toThrow(
    `The store needs Node.js 22.15 or later, and this is ${process.version}. Use a later Node.js, or another store.`,
  );
  const warnings = vi.spyOn(process, "emitWarning").mockReturnValue();
  const load = () => {
    process.emitWarning("SQLite is an experimental feature", "ExperimentalWarning");
    process.emitWarning("something else", "Warning");
    return "SQLite";
  };
  expect(sqliteOf("The store", load)).toBe("SQLite");
  expect(warnings.mock.calls).toEqual([["something else", "Warning"]]);
});
