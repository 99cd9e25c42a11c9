/**
 * One of several processes that use the same files: `sqlite-process.ts <folder> <pools> <its number> <builds, as JSON>`. Whenever it is sent
 * the name of a subject it uses that for a while, and sends back how fast it was.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type * as Store from "turn-limit/stores/sqlite";
import { type Build, entryOf } from "./builds.ts";

/** A bare transaction, or a build of turn-limit by its name. */
export type SqliteSubject = "bare" | "now" | "before";

export interface SqliteSample {
  perSecond: number;
  /** How many nanoseconds 99 of 100 requests took at most. */
  p99: number;
}

const [folder = "", poolCount = "1", number = "0", json = "{}"] = process.argv.slice(2);
const builds: Record<string, Build> = JSON.parse(json);
const pools = Array.from({ length: Number(poolCount) }, (_, n) => `pool-${n}`);
const duration = 300;

const bare = openBare();
const member = { id: `member-${number}`, name: `member ${number}` };
let turn = 0;

const request: Record<string, (pool: string) => unknown> = {
  bare(pool) {
    bare.begin.run();
    bare.add.run(pool);
    bare.commit.run();
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
  const sorted = times.sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  return { perSecond: (times.length / (now - start)) * 1_000, p99: p99 * 1e6 };
}

function openBare() {
  const db = new DatabaseSync(join(folder, "bare.db"));
  db.exec(`
    PRAGMA busy_timeout = 60000;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA cell_size_check = ON;
    CREATE TABLE IF NOT EXISTS counts (pool TEXT PRIMARY KEY, n INTEGER) STRICT, WITHOUT ROWID`);
  const insert = db.prepare("INSERT OR IGNORE INTO counts VALUES (?, 0)");
  for (const pool of pools) insert.run(pool);
  return {
    begin: db.prepare("BEGIN IMMEDIATE"),
    add: db.prepare("UPDATE counts SET n = n + 1 WHERE pool = ?"),
    commit: db.prepare("COMMIT"),
  };
}
