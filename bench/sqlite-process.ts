/**
 * One of several processes that use the same files: `sqlite-process.ts <folder> <pools> <its number> <builds, as JSON>`. Whenever it is sent
 * the name of a subject it uses that for a while, and sends back how fast it was.
 */
import { fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type * as Store from "turn-limit/stores/sqlite";
import { type Build, entryOf } from "./builds.ts";

/**
 * A bare transaction, one that does the least that a request needs, or a build of turn-limit by its name. A request asks whether
 * the files are still there, and whether others have written; then, or if it does not remember them, it reads the rows of a
 * pool and of a member, and it writes both.
 */
export type SqliteSubject = "bare" | "rows" | "now" | "before";

export interface SqliteSample {
  perSecond: number;
  /** How many milliseconds each took. */
  times: number[];
}

const [folder = "", poolCount = "1", number = "0", json = "{}"] = process.argv.slice(2);
const builds: Record<string, Build> = JSON.parse(json);
const pools = Array.from({ length: Number(poolCount) }, (_, n) => `pool-${n}`);
const duration = 300;

/** As long as the texts that a store keeps of a record and of a member. */
const FILLER = "x".repeat(200);
const REMEMBERED = 4_000;
const member = { id: `member-${number}`, name: `member ${number}` };
const bare = openBare();
const openFolder = openSync(folder, "r");
/** What the number of the last change by others was when a pool was last read. */
const seen = new Map<string, number>();
let written = 0;
let turn = 0;

const request: Record<string, (pool: string) => unknown> = {
  bare(pool) {
    bare.begin.run();
    bare.add.run(pool);
    bare.commit.run();
  },
  rows(pool) {
    // Without it a deleted file would go on being used.
    fstatSync(openFolder);
    bare.begin.get();
    const [version] = bare.version.get() as unknown as [number];
    if (seen.get(pool) !== version) bare.find.get(pool, member.id);
    // Nobody can remember any number of pools.
    if (seen.size >= REMEMBERED) seen.clear();
    seen.set(pool, version);
    written += 1;
    for (const row of ["", member.id]) bare.save.get(`${written} ${FILLER}`, pool, row);
    bare.commit.get();
  },
};
for (const [name, build] of Object.entries(builds)) {
  const { sqliteStore }: typeof Store = await import(entryOf(build, "./stores/sqlite"));
  const store = sqliteStore(join(folder, `${name}.db`), { timeout: 60_000 });
  const take = (pool: string) => {
    turn += 1;
    const [want, hold] = [{ turns: 1 }, { tokens: 1_000 }];
    const limits = { turns: 1e9, tokens: 1e12 };
    const used = { turns: turn - 1, tokens: 900 * turn };
    const numbers = { incarnation: 1, turn, answered: 0, heard: 0 };
    return store.take({ pool, member, ...numbers, used, want, hold, limits, lease: 60_000 });
  };
  for (const pool of pools) await take(pool);
  request[name] = take;
}

process.on("message", async (subject: SqliteSubject) => {
  const used = request[subject];
  if (!used) throw new Error(`There is no ${subject}`);
  process.send?.(await sample(used));
});
process.send?.("ready");

async function sample(once: (pool: string) => unknown): Promise<SqliteSample> {
  const times: number[] = [];
  const start = performance.now();
  let now = start;
  for (let n = Number(number); now < start + duration; n += 1) {
    await once(pools[(n * 7_919) % pools.length] as string);
    const end = performance.now();
    times.push(end - now);
    now = end;
  }
  return { perSecond: (times.length / (now - start)) * 1_000, times };
}

function openBare() {
  const db = new DatabaseSync(join(folder, "bare.db"));
  db.exec(`
    PRAGMA busy_timeout = 60000;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA cell_size_check = ON;
    PRAGMA cache_size = -64000;
    CREATE TABLE IF NOT EXISTS counts (pool TEXT PRIMARY KEY, n INTEGER) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS texts (pool TEXT, member TEXT, data TEXT, PRIMARY KEY (pool, member))
      STRICT, WITHOUT ROWID;
    BEGIN IMMEDIATE`);
  const insert = db.prepare("INSERT OR IGNORE INTO counts VALUES (?, 0)");
  const insertText = db.prepare("INSERT OR IGNORE INTO texts VALUES (?, ?, ?)");
  for (const pool of pools) {
    insert.run(pool);
    for (const name of ["", member.id]) insertText.run(pool, name, FILLER);
  }
  db.exec("COMMIT");
  const version = db.prepare("PRAGMA data_version");
  version.setReturnArrays(true);
  return {
    version,
    begin: db.prepare("BEGIN IMMEDIATE"),
    add: db.prepare("UPDATE counts SET n = n + 1 WHERE pool = ?"),
    find: db.prepare(
      "SELECT p.data, m.data AS entry FROM texts p JOIN texts m ON m.pool = p.pool AND m.member = ?2 WHERE p.pool = ?1 AND p.member = ''",
    ),
    save: db.prepare("UPDATE texts SET data = ? WHERE pool = ? AND member = ?"),
    commit: db.prepare("COMMIT"),
  };
}
