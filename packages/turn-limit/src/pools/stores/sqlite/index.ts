/**
 * A store in a file, for all processes of one machine. It needs nothing but Node.js 22.15 or later.
 *
 * @module
 */
import { anyFunction, count, object, optional } from "../../../core/checks.ts";
import { InvalidLimit } from "../../../core/errors/invalid-limit.ts";
import { grantOf, lastGrants } from "../../ledger/grants.ts";
import { isRunRecord } from "../../ledger/listed-run.ts";
import { changedHead, changedState, isHeadChange, type RecordChange } from "../../ledger/pool-changes.ts";
import { EMPTY_STATE, seenState } from "../../ledger/pool-state.ts";
import { partsOf } from "../../ledger/record-name.ts";
import { expiryOf, isPresent, reset, taken } from "../../ledger/rules.ts";
import type { Store } from "../../ledger/store.ts";
import { Refused, Ticks } from "../ticks.ts";
import { Database } from "./database.ts";
import { closedStore } from "./failures.ts";
import { endLeases, forgetDeparted, hasManySilent, isExpired, recordAt, totalsOf } from "./leases.ts";
import { type AccountRow, headKeyOf, keyOf, type Rows } from "./rows.ts";

export interface SqliteStoreOptions {
  /** For how many milliseconds to wait for other processes; 5 seconds if left out. */
  timeout?: number;
  /** The clock of the store, in milliseconds; `Date.now` if left out. All processes must have the same. */
  now?: () => number;
}

const checkOptions = object({ timeout: optional(count(0), 5_000), now: optional(anyFunction, Date.now) });

interface Request {
  open: Database;
  work: (rows: Rows) => unknown;
  deadline: number;
}

/** How many requests of one tick one transaction does at most. */
const MOST_AT_ONCE = 100;

/** How often expired records are looked for, in milliseconds. */
const PRUNE_EVERY = 60_000;
/** How many milliseconds ago the record of a period must have expired to be forgotten. */
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
  let opened: Database | undefined;
  let isClosed = false;
  let prunedAt = -Infinity;

  async function database(): Promise<Database> {
    if (isClosed) throw closedStore(name);
    opening ??= Database.open(file, name, timeout);
    const attempt = opening;
    const forget = () => {
      if (opening === attempt) opening = undefined;
    };
    const found = await attempt.catch((error) => {
      forget();
      throw error;
    });
    if (found.isOpen) {
      opened = found;
      return found;
    }
    forget();
    return database();
  }

  // All in one transaction. If one of them fails, it does so alone.
  async function writeTogether(requests: readonly Request[]): Promise<unknown[]> {
    const [{ open, deadline }] = requests as [Request];
    const write = async <T>(work: (rows: Rows) => T) => open.write(work, deadline - performance.now());
    let isToBlame = false;
    try {
      return await write((rows) => {
        isToBlame = true;
        const results = requests.map(({ work }) => work(rows));
        isToBlame = false;
        return results;
      });
    } catch (error) {
      if (!isToBlame) throw error;
    }
    const results: unknown[] = [];
    for (const { work } of requests) results.push(await write(work).catch((error) => new Refused(error)));
    return results;
  }

  function writeAll(requests: readonly Request[]): unknown[] | Promise<unknown[]> {
    if (requests.length > 1) return writeTogether(requests);
    const [{ open, work, deadline }] = requests as [Request];
    const result = open.write(work, deadline - performance.now());
    return result instanceof Promise ? result.then((found) => [found]) : [result];
  }

  const ticks = new Ticks(writeAll, MOST_AT_ONCE);

  // Opening the file is part of what somebody waits for.
  function write<T>(work: (rows: Rows) => T, within = Infinity): Promise<T> {
    const deadline = performance.now() + within;
    const add = (open: Database) => ticks.add(`${within}`, { open, work, deadline }) as Promise<T>;
    return opened?.isOpen && !isClosed ? add(opened) : database().then(add);
  }

  // Of many members whose lease is over the leases are ended: otherwise each look would go through them again.
  async function look<T>(pool: string, seen: (rows: Rows, now: number) => T): Promise<T> {
    const open = await database();
    const found = await open.read((rows) => {
      const now = clock();
      return hasManySilent(rows, pool, now) ? undefined : { seen: seen(rows, now) };
    });
    if (found) return found.seen;
    await write((rows) => current(rows, pool, clock()));
    return (await database()).read((rows) => seen(rows, clock()));
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
    take(take, within) {
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
          const { expires } = account;
          account.agents += Number(member.until !== 0) - Number(entry !== undefined && entry.until !== 0);
          account.until = Math.min(account.until, member.until || Infinity);
          account.expires = expiryOf(take, now, account.expires ?? 0) ?? account.expires;
          if (account.isNew || entry === undefined || entry.until === 0 || member.until === 0) {
            rows.saveMember(key, member, now);
            if (member.until === 0) forgetDeparted(rows, key, account, now);
            rows.saveAccount(key, account);
          } else {
            rows.saveFound(key, memberKey, account, member, expires);
          }
        } else rows.forgetUnsaved(key);
        const { state, agents } = account;
        const [settled, held] = [{ ...account.settled }, { ...account.held }];
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
        if (account.isNew && isRunRecord(pool)) return { made: false, state: account.state, now };
        if (!isHeadChange(change)) return recordChanged(rows, pool, account, change, now);
        const { made, after } = changedHead(account.head, change, now);
        // A pool without periods has one record, which is there as soon as something is known of it.
        if (account.isNew && !partsOf(pool).per) rows.saveAccount(keyOf(pool), { ...account, born: now });
        if (after !== account.head) {
          rows.saveHead(headKeyOf(pool), after);
          const grant = grantOf(pool, change, EMPTY_STATE, now);
          if (grant) rows.saveGrant(grant);
        }
        return { made, state: seenState(after, account.own), now };
      }, within);
    },

    async read(pool) {
      return look(pool, (rows, now) => recordAt(rows, pool, now));
    },

    async look(pool) {
      const key = keyOf(pool);
      return look(pool, (rows, now) => {
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

    async runs() {
      return (await database()).read((rows) => {
        const now = clock();
        const runs = rows.runs(now).map((run) => recordAt(rows, run, now));
        return runs.filter((run) => run !== undefined);
      });
    },

    async grants() {
      return (await database()).read((rows) => lastGrants(rows.grants()));
    },

    async remember(run) {
      return write((rows) => rows.saveRun(run));
    },

    async pastRuns(agent) {
      return (await database()).read((rows) => rows.pastRuns(agent));
    },

    async now() {
      return clock();
    },

    async close() {
      isClosed = true;
      opened = undefined;
      const open = opening;
      opening = undefined;
      (await open?.catch(() => undefined))?.close();
    },
  };
}

function recordChanged(rows: Rows, pool: string, account: AccountRow, change: RecordChange, now: number) {
  const key = keyOf(pool);
  const isDone = change.kind === "extend" && rows.isExtendedBy(key, keyOf(change.key));
  const { limits } = account.head;
  const known = { settled: account.settled, limits, isDone };
  const { made, after } = changedState(account.own, change, now, known);
  if (after !== account.own) {
    const settled = change.kind === "reset" ? {} : account.settled;
    const born = account.isNew ? now : account.born;
    rows.saveAccount(key, { ...account, born, settled, own: after });
    rows.saveState(key, after);
    if (change.kind === "extend") rows.saveExtension(key, keyOf(change.key));
    const grant = grantOf(pool, change, account.own, now);
    if (grant) rows.saveGrant(grant);
    if (change.kind === "reset")
      for (const member of rows.members(key)) rows.saveMember(key, reset(member), now);
  }
  return { made, state: seenState(account.head, after), now };
}
