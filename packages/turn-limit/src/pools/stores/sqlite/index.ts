/**
 * A store in a file, for all processes of one machine. It needs nothing but Node.js 22.15 or later.
 *
 * @module
 */
import { anyFunction, count, object, optional } from "../../../core/checks.ts";
import { InvalidLimit } from "../../../core/errors/invalid-limit.ts";
import { StoreError } from "../../../core/errors/store-error.ts";
import { changedState } from "../../ledger/pool-state.ts";
import { asSeen, forgotten, isPresent, lapsed, newMember, taken } from "../../ledger/rules.ts";
import type { Store } from "../../ledger/store.ts";
import { Database } from "./database.ts";
import { type AccountRow, keyOf, type Rows } from "./rows.ts";

export interface SqliteStoreOptions {
  /** For how many milliseconds to wait for other processes; 5 seconds if left out. */
  timeout?: number;
  /** The clock of the store, in milliseconds; `Date.now` if left out. All processes must have the same. */
  now?: () => number;
}

const checkOptions = object({ timeout: optional(count(0), 5_000), now: optional(anyFunction, Date.now) });

/** How often expired records are looked for, in milliseconds. */
const PRUNE_EVERY = 60_000;

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

  function prune(rows: Rows, now: number): void {
    if (Math.abs(now - prunedAt) < PRUNE_EVERY) return;
    rows.forgetExpired(now);
    prunedAt = now;
  }

  return {
    async take(take) {
      const [pool, key] = [keyOf(take.pool), keyOf(take.member.id)];
      return (await database()).write((rows) => {
        const now = clock();
        prune(rows, now);
        let { account, entry } = rows.find(pool, key);
        if (isExpired(account, now) || account.until <= now) {
          clearUp(rows, pool, account, now);
          ({ account, entry } = rows.find(pool, key));
        }
        const before = entry ?? newMember(take.member);
        const { member, result } = taken(account, before, take, now);
        const isAway = member.until !== 0 && !isPresent(member, now);
        if (member !== before) {
          account.agents += Number(member.until !== 0) - Number(before.until !== 0);
          account.until = Math.min(account.until, member.until || Infinity);
          rows.saveAccount(pool, account);
          rows.saveMember(pool, member);
        }
        if (take.expires !== undefined && take.expires !== account.expires)
          rows.saveExpiry(pool, take.expires);
        const { settled, held, state, agents } = account;
        const { kind, refused } = result;
        const { holds } = member;
        return { kind, refused, settled, held, state, agents: agents - Number(isAway), holds, now };
      });
    },

    async change(pool, change) {
      const key = keyOf(pool);
      return (await database()).write((rows) => {
        const now = clock();
        prune(rows, now);
        let account = rows.account(key);
        if (isExpired(account, now) || account.until <= now) {
          clearUp(rows, key, account, now);
          account = rows.account(key);
        }
        const state = changedState(account.state, change, now);
        const isChanged = state !== account.state;
        if (isChanged) {
          const settled = change.kind === "reset" ? {} : account.settled;
          rows.saveAccount(key, { ...account, settled, state });
          rows.saveState(key, state);
          if (change.kind === "reset")
            for (const member of rows.members(key)) rows.saveMember(key, forgotten(member));
        }
        return { made: isChanged || state.done.includes(change.key), state, now };
      });
    },

    async read(pool) {
      const key = keyOf(pool);
      return (await database()).read((rows) => {
        const now = clock();
        const account = rows.account(key);
        if (account.isNew || isExpired(account, now)) return undefined;
        const entries = rows
          .members(key)
          .map((entry) => (entry.until !== 0 && !isPresent(entry, now) ? lapsed(account, entry) : entry));
        const members = entries.map((entry) => asSeen(entry, now));
        const agents = members.filter((member) => member.isPresent).length;
        const { settled, held, state } = account;
        return { pool, members, settled, held, state, agents, now };
      });
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

function isExpired({ expires }: AccountRow, now: number): boolean {
  return expires !== null && expires <= now;
}

// Forgets the record if it is expired. Otherwise ends the leases that are over.
function clearUp(rows: Rows, pool: string, account: AccountRow, now: number): void {
  if (isExpired(account, now)) {
    rows.forget(pool);
    return;
  }
  const silent = rows.silent(pool, now);
  for (const member of silent) rows.saveMember(pool, lapsed(account, member));
  account.agents -= silent.length;
  account.until = rows.nextEnd(pool);
  rows.saveAccount(pool, account);
}
