/**
 * A store in a file, for all processes of one machine. It needs nothing but Node.js 22.15 or later.
 *
 * @module
 */
import { anyFunction, count, object, optional } from "../../../core/checks.ts";
import { InvalidLimit } from "../../../core/errors/invalid-limit.ts";
import { StoreError } from "../../../core/errors/store-error.ts";
import {
  changedHead,
  changedState,
  isHeadChange,
  type RecordChange,
  seenState,
} from "../../ledger/pool-state.ts";
import { partsOf } from "../../ledger/record-name.ts";
import { asSeen, departed, expiryOf, isPresent, lapsed, reset, taken } from "../../ledger/rules.ts";
import type { Store, Totals } from "../../ledger/store.ts";
import { Database } from "./database.ts";
import { type AccountRow, headKeyOf, keyOf, type Rows } from "./rows.ts";

export interface SqliteStoreOptions {
  /** For how many milliseconds to wait for other processes; 5 seconds if left out. */
  timeout?: number;
  /** The clock of the store, in milliseconds; `Date.now` if left out. All processes must have the same. */
  now?: () => number;
}

const checkOptions = object({ timeout: optional(count(0), 5_000), now: optional(anyFunction, Date.now) });

/** How often expired records are looked for, in milliseconds. */
const PRUNE_EVERY = 60_000;
/** The record of a period is forgotten when it was found to have expired for so many milliseconds. */
const EXPIRED_FOR = 7 * 86_400_000;

/**
 * A store in a file, for pools whose members are in several processes of one machine. The file and its folder are made
 * if there are none.
 *
 * @example
 * import { sqliteStore } from "turn-limit/stores/sqlite";
 *
 * const pool = createPool({ id: "research", cost: 5, store: sqliteStore("pools.db") });
 */
export function sqliteStore(file: string, options: SqliteStoreOptions = {}): Store {
  if (typeof file !== "string" || file === "" || file.includes("\0"))
    throw new InvalidLimit("file", file, "the path of a file");
  const { timeout, now: clock } = checkOptions(options, "") as Required<SqliteStoreOptions>;
  const name = `The SQLite store ${file}`;

  let opening: Promise<Database> | undefined;
  let isClosed = false;
  let prunedAt = -Infinity;

  async function database(): Promise<Database> {
    if (isClosed) throw new StoreError(name, "is closed", "Open it again.");
    opening ??= Database.open(file, name, timeout);
    const attempt = opening;
    const forget = () => {
      if (opening === attempt) opening = undefined;
    };
    const found = await attempt.catch((error) => {
      forget();
      throw error;
    });
    if (found.isOpen) return found;
    forget();
    return database();
  }

  // Opening the file is part of what somebody waits for.
  async function write<T>(work: (rows: Rows) => T, within = Infinity): Promise<T> {
    const start = performance.now();
    return (await database()).write(work, within - (performance.now() - start));
  }

  function prune(rows: Rows, now: number): void {
    if (Math.abs(now - prunedAt) < PRUNE_EVERY) return;
    rows.forgetExpired(now, EXPIRED_FOR);
    prunedAt = now;
  }

  // The row of a record that is not expired, without leases that are over.
  function current(rows: Rows, pool: string, now: number): AccountRow {
    const [key, head] = [keyOf(pool), headKeyOf(pool)];
    const account = rows.account(key, head);
    if (isExpired(pool, account, now)) rows.forget(key);
    else if (account.until <= now) endLeases(rows, key, account, now);
    else return account;
    return rows.account(key, head);
  }

  return {
    async take(take, within) {
      const { pool } = take;
      const [key, head, memberKey] = [keyOf(pool), headKeyOf(pool), keyOf(take.member.id)];
      return write((rows) => {
        const now = clock();
        prune(rows, now);
        let { account, entry } = rows.find(key, head, memberKey);
        if (isExpired(pool, account, now) || account.until <= now) {
          current(rows, pool, now);
          ({ account, entry } = rows.find(key, head, memberKey));
        }
        if (account.isNew) account.born = now;
        const { member, result } = taken(account, entry, take, now);
        const isDone = member !== undefined && member !== entry;
        if (isDone) {
          account.agents += Number(member.until !== 0) - Number(entry !== undefined && entry.until !== 0);
          account.until = Math.min(account.until, member.until || Infinity);
          rows.saveMember(key, member, now);
          if (member.until === 0) forgetDeparted(rows, key, account, now);
          rows.saveAccount(key, account);
          const expires = expiryOf(take, now, account.expires ?? 0);
          if (expires !== undefined && expires !== account.expires) rows.saveExpiry(key, expires);
        }
        const { settled, held, state, agents } = account;
        const { kind, refused } = result;
        const { holds = {}, incarnation = 0 } = member ?? {};
        // A lease of no time at all is over at once.
        const isGone = isDone && member.until !== 0 && !isPresent(member, now);
        return {
          ...{ kind, refused, settled, held, state, holds, incarnation },
          ...{ agents: agents - Number(isGone), now },
        };
      }, within);
    },

    async change(pool, change, within) {
      return write((rows) => {
        const now = clock();
        prune(rows, now);
        const account = current(rows, pool, now);
        if (!isHeadChange(change)) return recordChanged(rows, pool, account, change, now);
        const { made, after } = changedHead(account.head, change, now);
        // A pool without periods has one record, which is there as soon as something is known of it.
        if (account.isNew && !partsOf(pool).per) rows.saveAccount(keyOf(pool), { ...account, born: now });
        if (after !== account.head) rows.saveHead(headKeyOf(pool), after);
        return { made, state: seenState(after, account.own), now };
      }, within);
    },

    async read(pool) {
      const key = keyOf(pool);
      return (await database()).read((rows) => {
        const now = clock();
        const account = rows.account(key, headKeyOf(pool));
        if (account.isNew || isExpired(pool, account, now)) return undefined;
        const entries = rows
          .members(key)
          .map((entry) => (entry.until !== 0 && !isPresent(entry, now) ? lapsed(account, entry) : entry));
        const members = entries.map((entry) => asSeen(entry, now));
        const agents = members.filter((member) => member.isPresent).length;
        const { settled, held, state, gone } = account;
        return {
          pool,
          members,
          departed: departed(settled, members, gone),
          settled,
          held,
          state,
          agents,
          now,
        };
      });
    },

    async look(pool) {
      const key = keyOf(pool);
      return (await database()).read((rows) => {
        const now = clock();
        const account = rows.account(key, headKeyOf(pool));
        const isKnown = !account.isNew && !isExpired(pool, account, now);
        return { totals: isKnown ? totalsOf(rows, key, account, now) : undefined, terms: account.head, now };
      });
    },

    async delete(pool) {
      return write((rows) => rows.forget(keyOf(pool)));
    },

    async list() {
      return (await database()).read((rows) => rows.pools(clock()));
    },

    async now() {
      return clock();
    },

    async close() {
      isClosed = true;
      const open = opening;
      opening = undefined;
      (await open?.catch(() => undefined))?.close();
    },
  };
}

// The record of a period is not used in another one. It is forgotten later.
function isExpired(pool: string, { expires }: AccountRow, now: number): boolean {
  return expires !== null && expires <= now && !partsOf(pool).per;
}

function totalsOf(rows: Rows, key: string, account: AccountRow, now: number): Totals {
  const silent = account.until <= now ? rows.silent(key, now) : [];
  for (const member of silent) lapsed(account, member);
  const { settled, held, state, agents } = account;
  return { settled, held, state, agents: agents - silent.length };
}

function endLeases(rows: Rows, key: string, account: AccountRow, now: number): void {
  const silent = rows.silent(key, now);
  for (const member of silent) rows.saveMember(key, lapsed(account, member), now);
  account.agents -= silent.length;
  account.until = rows.nextEnd(key);
  forgetDeparted(rows, key, account, now);
  rows.saveAccount(key, account);
}

function forgetDeparted(rows: Rows, key: string, account: AccountRow, now: number): void {
  const gone = rows.forgetDeparted(key);
  if (gone === 0) return;
  account.gone += gone;
  account.forgotten = now;
}

function recordChanged(rows: Rows, pool: string, account: AccountRow, change: RecordChange, now: number) {
  const key = keyOf(pool);
  const isDone = change.kind === "extend" && rows.isExtendedBy(key, keyOf(change.key));
  const { made, after } = changedState(account.own, change, now, isDone);
  if (after !== account.own) {
    const settled = change.kind === "reset" ? {} : account.settled;
    const born = account.isNew ? now : account.born;
    rows.saveAccount(key, { ...account, born, settled, own: after });
    rows.saveState(key, after);
    if (change.kind === "extend") rows.saveExtension(key, keyOf(change.key));
    if (change.kind === "reset")
      for (const member of rows.members(key)) rows.saveMember(key, reset(member), now);
  }
  return { made, state: seenState(account.head, after), now };
}
