import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isStoreError } from "../../src/core/errors/store-error.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { type LineProcess, start } from "./processes/line-process.ts";

const folder = mkdtempSync(join(tmpdir(), "turn-limit-faults-"));
beforeAll(() => chmodSync(folder, 0o755));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function newFile(): string {
  files += 1;
  return join(folder, `pools-${files}.db`);
}

const user = join(import.meta.dirname, "processes", "store-user.ts");
const LEASE = 60_000;

async function ask({ goOn, line }: LineProcess): Promise<string> {
  goOn();
  return line();
}

/** Takes a turn, and holds tokens. It has taken one with each number before. */
function takeOne(store: Store, turn: number, id = "ada") {
  return store.take({
    pool: "shared",
    member: { id, name: id },
    ...{ incarnation: 1, turn, answered: 0, heard: 0 },
    used: { turns: turn - 1 },
    want: { turns: 1 },
    hold: { tokens: 100 },
    limits: { turns: 1_000, tokens: 1_000 },
    lease: LEASE,
  });
}

async function failure(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isStoreError(error)) throw new Error(`not a StoreError: ${error}`);
  return error.message;
}

test("a member that is killed holds until its lease ends, and nothing that it was granted is lost [LeaseEnds]", async () => {
  const file = newFile();
  const member = start(process.execPath, [user, file, "300"]);
  for (let n = 0; n < 5; n += 1) expect(await ask(member)).toBe("granted");
  // It is killed in the middle of a request, or before or after it.
  member.goOn();
  member.child.kill("SIGKILL");
  await once(member.child, "exit");

  let later = 0;
  const store = sqliteStore(file, { now: () => Date.now() + later });
  const before = await store.read("shared");
  expect([5, 6]).toContain(before?.settled.turns);
  expect(before).toMatchObject({ held: { tokens: 300 }, agents: 1 });
  later = LEASE;
  const { kind, settled, held, agents } = await takeOne(store, 1);
  expect({ kind, tokens: settled.tokens, held, agents }).toEqual({
    kind: "granted",
    tokens: 300,
    held: { tokens: 100 },
    agents: 1,
  });
  await store.close();
});

test("a read-only file, and one in a read-only folder, is refused, and nothing is granted", async () => {
  // Whoever may write everything becomes somebody else first.
  const nobody = process.getuid?.() === 0 ? ["65534"] : [];
  for (const isFolderToo of [false, true]) {
    const place = join(folder, `read-only-${isFolderToo}`);
    mkdirSync(place);
    const file = join(place, "pools.db");
    const store = sqliteStore(file);
    await takeOne(store, 1);
    await store.close();
    chmodSync(file, 0o444);
    chmodSync(place, isFolderToo ? 0o555 : 0o777);

    const member = start(process.execPath, [user, file, "1", ...nobody]);
    expect(await ask(member)).toMatch(/^StoreError: The SQLite store .* (is read-only|cannot be opened)/);
    member.child.stdin.end();
    await once(member.child, "exit");
    chmodSync(place, 0o755);
  }
});

test("a request that waits for another process while the store is closed says that it is closed", async () => {
  const file = newFile();
  const store = sqliteStore(file);
  await takeOne(store, 1);
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  const waits = failure(takeOne(store, 2));
  await store.now();
  await store.close();
  other.close();
  expect(await waits).toMatch(/^The SQLite store .* is closed\. Open it again\.$/);
  const again = sqliteStore(file);
  expect((await again.read("shared"))?.settled.turns).toBe(1);
  await again.close();
});

test("on a full disk a request fails, what was granted before stays, and it goes on when there is room", async () => {
  const file = newFile();
  // In blocks of 1024 bytes, for each file.
  const limited = 'ulimit -f 100; exec "$0" "$@"';
  const member = start("bash", ["-c", limited, process.execPath, user, file, "1"]);
  let granted = 0;
  let said = await ask(member);
  for (; said === "granted" && granted < 1_000; said = await ask(member)) granted += 1;
  expect(said).toMatch(/^StoreError: The SQLite store .* (cannot be read or written|the disk is full)/);
  member.child.stdin.end();
  await once(member.child, "exit");

  const store = sqliteStore(file);
  expect((await store.read("shared"))?.settled.turns).toBe(granted);
  expect((await takeOne(store, 1)).settled.turns).toBe(granted + 1);
  await store.close();
});

test("a damaged file is an error, wherever it is damaged, or makes no difference", async () => {
  const [file, copy] = [newFile(), newFile()];
  const store = sqliteStore(file);
  for (let turn = 1; turn <= 9; turn += 1) await takeOne(store, turn);
  await store.close();
  const whole = readFileSync(file);

  const met = { errors: 0, same: 0 };
  for (let offset = 0; offset < whole.length; offset += 64) {
    const damaged = Buffer.from(whole).fill(0xff, offset, offset + 64);
    writeFileSync(copy, damaged);
    const again = sqliteStore(copy);
    const found = await again.read("shared").catch((error: unknown) => error);
    if (isStoreError(found)) met.errors += 1;
    else {
      expect(found, `at ${offset}`).toMatchObject({ settled: { turns: 9 }, held: { tokens: 100 } });
      met.same += 1;
    }
    await again.close();
    for (const end of ["-wal", "-shm"]) rmSync(copy + end, { force: true });
  }
  expect(met.errors).toBeGreaterThan(5);

  for (const length of [1, 100, 4_096, whole.length / 2]) {
    copyFileSync(file, copy);
    truncateSync(copy, length);
    const again = sqliteStore(copy);
    expect(await failure(takeOne(again, 10))).toMatch(/is damaged|belongs to another program/);
    await again.close();
  }
});

test("a file that is deleted or replaced in use is noticed, and is not made anew behind anybody's back", async () => {
  const file = newFile();
  const store = sqliteStore(file);
  await takeOne(store, 1);
  rmSync(file);
  for (const work of [() => takeOne(store, 2), () => store.read("shared"), () => store.list()])
    expect(await failure(work())).toMatch(/was deleted while in use\. Open it again/);
  expect(existsSync(file)).toBe(false);

  // Others start over, also while somebody still has the deleted file open.
  const member = start(process.execPath, [user, file, "1"]);
  for (let n = 0; n < 3; n += 1) expect(await ask(member)).toBe("granted");
  expect(await failure(takeOne(store, 2))).toMatch(/was deleted while in use/);
  await store.close();
  expect(await ask(member)).toBe("granted");
  member.child.stdin.end();
  await once(member.child, "exit");

  const next = sqliteStore(file);
  expect((await takeOne(next, 1)).settled.turns).toBe(5);
  const other = newFile();
  const another = sqliteStore(other);
  await takeOne(another, 1);
  await another.close();
  renameSync(other, file);
  expect(await failure(takeOne(next, 2))).toMatch(/was deleted while in use/);
  await next.close();
});

test("what happens to the files of a folder that has long been as it is, is noticed with the next request", async () => {
  const ways: [way: (file: string) => void, told: RegExp][] = [
    [(file) => rmSync(file), /was deleted while in use/],
    [(file) => renameSync(file, `${file}.old`), /was deleted while in use/],
    [(file) => rmSync(`${file}-wal`), /its file .*-wal was deleted/],
    [(file) => renameSync(`${file}-wal`, `${file}.old`), /its file .*-wal was deleted/],
  ];
  for (const [way, told] of ways) {
    const file = newFile();
    const store = sqliteStore(file);
    await takeOne(store, 1);
    utimesSync(dirname(file), 1, 1);
    for (const turn of [2, 3, 4]) expect((await takeOne(store, turn)).settled.turns).toBe(turn);
    way(file);
    expect(await failure(takeOne(store, 5))).toMatch(told);
    await store.close();
  }
});

test("a folder that is moved in use is noticed", async () => {
  const home = join(folder, "a folder that is moved");
  const file = join(home, "pools.db");
  const store = sqliteStore(file);
  await takeOne(store, 1);
  utimesSync(home, 1, 1);
  await takeOne(store, 2);
  renameSync(home, `${home} away`);
  let turn = 3;
  await vi.waitFor(async () => {
    expect(await failure(takeOne(store, turn++))).toMatch(/was deleted while in use/);
  });
  expect(existsSync(home)).toBe(false);
  await store.close();
});

test("a log that is deleted in use is noticed by every process, and what was counted in it is saved", async () => {
  const file = newFile();
  const store = sqliteStore(file);
  const member = start(process.execPath, [user, file, "1"]);
  await takeOne(store, 1);
  for (let n = 0; n < 3; n += 1) expect(await ask(member)).toBe("granted");
  rmSync(`${file}-wal`);

  const told =
    /The SQLite store .* was in use when its file .*-wal was deleted, so that what was counted last may be missing\. It goes on/;
  const failures = await Promise.all([failure(takeOne(store, 2)), failure(store.list())]);
  for (const said of failures) expect(said).toMatch(told);
  expect((await takeOne(store, 2)).settled.turns).toBe(5);
  expect(await ask(member)).toMatch(told);
  expect(await ask(member)).toBe("granted");
  expect((await takeOne(store, 3)).settled.turns).toBe(7);
  member.child.stdin.end();
  await once(member.child, "exit");
  await store.close();
  expect((await sqliteStore(file).read("shared"))?.settled.turns).toBe(7);
});

test.runIf(process.platform === "linux")(
  "a process that opens a file twice keeps its lock on it",
  async () => {
    const file = newFile();
    const store = sqliteStore(file);
    await takeOne(store, 1);
    const second = sqliteStore(file);
    await second.list();
    const { ino } = statSync(file);
    expect(readFileSync("/proc/locks", "utf8")).toMatch(new RegExp(` ${process.pid} \\S+:${ino} `));
    await Promise.all([store.close(), second.close()]);
  },
);

test("a file whose maker was killed in the middle is made by the next", async () => {
  const [whole, file] = [newFile(), newFile()];
  const store = sqliteStore(whole);
  await takeOne(store, 1);
  await store.close();
  // The first page is written, and the journal says that there was none before.
  const maker = new DatabaseSync(file);
  maker.exec("PRAGMA cache_size = 1; BEGIN; CREATE TABLE filler (x)");
  for (let n = 0; n < 100; n += 1) maker.exec(`INSERT INTO filler VALUES (zeroblob(4096))`);
  const journal = readFileSync(`${file}-journal`);
  maker.exec("ROLLBACK");
  maker.close();
  writeFileSync(file, readFileSync(whole).subarray(0, 4_096));
  writeFileSync(`${file}-journal`, journal);
  const next = sqliteStore(file);
  expect((await takeOne(next, 1)).settled.turns).toBe(1);
  await next.close();
});

test("a file that another program locks is waited for, and then it is an error", async () => {
  const file = newFile();
  const store = sqliteStore(file, { timeout: 30 });
  const patient = sqliteStore(file, { timeout: 600_000 });
  await takeOne(store, 1);
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  expect(await failure(takeOne(store, 2))).toMatch(/has been locked by another process for 0.03 seconds/);
  // Reading goes on.
  expect((await store.read("shared"))?.settled.turns).toBe(1);
  const waiting = [2, 3, 4].map((n) => takeOne(patient, 1, `member ${n}`));
  expect(await failure(takeOne(store, 2))).toMatch(/has been locked/);
  other.exec("COMMIT");
  expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(["granted", "granted", "granted"]);
  expect((await takeOne(store, 2)).settled.turns).toBe(5);
  other.close();
  await Promise.all([store.close(), patient.close()]);
});

test("a clock that is moved by an hour ends leases too early or too late, and admits no more than there is", async () => {
  let moved = 0;
  const start = Date.UTC(2030, 0, 1);
  const store = sqliteStore(newFile(), { now: () => start + moved });
  await takeOne(store, 1, "ada");
  moved = 3_600_000;
  // Ada was given up: what she held counts. She is still there, and it is corrected.
  expect((await takeOne(store, 1, "bob")).settled).toEqual({ turns: 2, tokens: 100 });
  expect(await takeOne(store, 2, "ada")).toMatchObject({ settled: { turns: 3 }, held: { tokens: 200 } });
  moved = 0;
  expect(await takeOne(store, 3, "ada")).toMatchObject({ settled: { turns: 4 }, held: { tokens: 200 } });
  // Bob is not heard of again. His lease ends an hour late, and it does end.
  moved = 3_600_000 + LEASE;
  const { settled, held, agents } = await takeOne(store, 4, "ada");
  expect({ settled, held, agents }).toEqual({
    settled: { turns: 5, tokens: 100 },
    held: { tokens: 100 },
    agents: 1,
  });
  await store.close();
});
