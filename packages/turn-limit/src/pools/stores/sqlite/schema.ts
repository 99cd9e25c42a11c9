import type { DatabaseSync } from "node:sqlite";
import { notADatabase, notOurs } from "./failures.ts";

/** Tells our databases from those of other programs: `turn`, as four letters. */
export const APPLICATION_ID = 0x7475726e;

/**
 * What each version adds to the one before. Never change one that was published: add another.
 *
 * A pool and its members are neighbours in one table, so that a request writes to one page of the file. Names are
 * written as JSON, in which every text can be told from every other. The row of the pool itself has the member `''`.
 */
const MIGRATIONS = [
  `CREATE TABLE entries (
     pool TEXT NOT NULL,
     member TEXT NOT NULL,
     -- A member: when its lease ends, 0 if it has none. A pool: no lease ends before.
     until REAL NOT NULL,
     -- A pool: when it may be forgotten.
     expires REAL,
     -- A pool: what holds for all members.
     head TEXT,
     data TEXT NOT NULL,
     PRIMARY KEY (pool, member)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX expiring ON entries (expires) WHERE expires IS NOT NULL;`,
  // What holds for a pool in every period has a table of its own. What was there before is the latest period's.
  `CREATE TABLE heads (
     pool TEXT PRIMARY KEY,
     head TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   INSERT OR IGNORE INTO heads
     SELECT
       CASE WHEN instr(pool, '@') = 0 THEN pool ELSE substr(pool, 1, instr(pool, '@')) || CASE
         WHEN pool LIKE '%@week-____-__-__"' THEN 'week"'
         WHEN pool LIKE '%@____-__-__"' THEN 'day"'
         ELSE 'month"' END
       END,
       json_patch('{}', json_object(
         'limits', json_extract(head, '$.limits'), 'frozen', json_extract(head, '$.frozen'), 'done', json('[]')
       ))
     FROM entries WHERE member = '' ORDER BY pool DESC;
   -- The keys of extensions: one with the same key is made once.
   CREATE TABLE extensions (
     pool TEXT NOT NULL,
     key TEXT NOT NULL,
     PRIMARY KEY (pool, key)
   ) STRICT, WITHOUT ROWID;
   -- A member: since when it takes no part any more.
   ALTER TABLE entries ADD COLUMN departed REAL;
   UPDATE entries SET departed = 0 WHERE member > '' AND until = 0;
   CREATE INDEX departing ON entries (pool, departed) WHERE departed IS NOT NULL;
   -- The record of a period: when it was first found to have expired. One clock alone does not decide that.
   ALTER TABLE entries ADD COLUMN doomed REAL;
   CREATE INDEX doomed ON entries (doomed) WHERE doomed IS NOT NULL;`,
  // What persons decided, in the order in which they did.
  `CREATE TABLE grants (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     data TEXT NOT NULL
   ) STRICT;`,
  // What runs took that are over, by agent, in the order in which they ended.
  `CREATE TABLE past_runs (
     place INTEGER PRIMARY KEY AUTOINCREMENT,
     agent TEXT NOT NULL,
     run TEXT NOT NULL,
     data TEXT NOT NULL,
     UNIQUE (agent, run)
   ) STRICT;
   CREATE INDEX runs_of_agent ON past_runs (agent, place);`,
];

/** The version of a database that this package writes. */
export const VERSION = MIGRATIONS.length;

export type Found = "new" | "older" | "current";

const MAGIC = Buffer.from("SQLite format 3\0");

/**
 * Throws if the first bytes of a file are not those of one of our databases. They are read without a lock, because a lock
 * can leave files beside somebody else's database. That is safe: the first bytes that are ever written to one of ours name it.
 */
export function inspectHeader(header: Buffer, store: string): void {
  if (header.length === 0) return;
  if (!header.subarray(0, MAGIC.length).equals(MAGIC) || header.length < 72) throw notADatabase(store);
  requireOurs(header.readUInt32BE(68), header.readUInt32BE(60), store);
}

/** What kind of database this is. Throws if it is not one of ours, or of a later version. Changes nothing. */
export function inspect(db: DatabaseSync, store: string): Found {
  const id = numberOf(db, "application_id");
  const version = numberOf(db, "user_version");
  if (id === 0 && version === 0 && isBlank(db)) return "new";
  requireOurs(id, version, store);
  return version === VERSION ? "current" : "older";
}

function requireOurs(id: number, version: number, store: string): void {
  if (id !== APPLICATION_ID)
    throw notOurs(store, "belongs to another program", "It is left as it is. Name another file.");
  if (version <= VERSION) return;
  const what = `is of version ${version}, and this turn-limit knows versions up to ${VERSION}`;
  throw notOurs(store, what, "Update turn-limit, or name another file.");
}

/** Brings a database to the current version, within the transaction that is open. */
export function migrate(db: DatabaseSync): void {
  for (const migration of MIGRATIONS.slice(numberOf(db, "user_version"))) db.exec(migration);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION}`);
}

function isBlank(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

function numberOf(db: DatabaseSync, pragma: "application_id" | "user_version"): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}
