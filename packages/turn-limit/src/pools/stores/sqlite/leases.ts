import { partsOf } from "../../ledger/record-name.ts";
import { asSeen, departed, isPresent, lapsed, REMEMBERED_MEMBERS } from "../../ledger/rules.ts";
import type { PoolRecord, Totals } from "../../ledger/store.ts";
import { type AccountRow, headKeyOf, keyOf, type Rows } from "./rows.ts";

/** Is it over? The record of a period is not used in another one, and is forgotten later. */
export function isExpired(pool: string, { expires }: AccountRow, now: number): boolean {
  return expires !== null && expires <= now && !partsOf(pool).per;
}

/** A record with its members. */
export function recordAt(rows: Rows, pool: string, now: number): PoolRecord | undefined {
  const key = keyOf(pool);
  const account = rows.account(key, headKeyOf(pool));
  if (account.isNew || isExpired(pool, account, now)) return undefined;
  const entries = rows
    .members(key)
    .map((entry) => (entry.until !== 0 && !isPresent(entry, now) ? lapsed(account, entry) : entry));
  const members = entries.map((entry) => asSeen(entry, now));
  const agents = members.filter((member) => member.isPresent).length;
  const { settled, held, state, gone } = account;
  return { pool, members, departed: departed(settled, members, gone), settled, held, state, agents, now };
}

/** A record without its members. */
export function totalsOf(rows: Rows, key: string, account: AccountRow, now: number): Totals {
  const silent = account.until <= now ? rows.silent(key, now) : [];
  for (const member of silent) lapsed(account, member);
  const { settled, held, state, agents } = account;
  return { settled, held, state, agents: agents - silent.length };
}

/** Are the leases of enough members over to have a look end them? */
export function hasManySilent(rows: Rows, pool: string, now: number): boolean {
  const key = keyOf(pool);
  const account = rows.account(key, headKeyOf(pool));
  if (account.until > now || isExpired(pool, account, now)) return false;
  return rows.hasMoreSilent(key, now, REMEMBERED_MEMBERS);
}

/** Ends the leases that are over. Of many members only the last are written: the others would be forgotten with it. */
export function endLeases(rows: Rows, key: string, account: AccountRow, now: number): void {
  const silent = rows.silent(key, now).map((member) => lapsed(account, member));
  const remembered = silent.slice(-REMEMBERED_MEMBERS);
  const [first] = remembered;
  if (first && remembered.length < silent.length) {
    rows.forgetSilent(key, now, keyOf(first.id));
    account.gone += silent.length - remembered.length;
    account.forgotten = now;
  }
  for (const member of remembered) rows.saveMember(key, member, now);
  account.agents -= silent.length;
  account.until = rows.nextEnd(key);
  forgetDeparted(rows, key, account, now);
  rows.saveAccount(key, account);
}

/** Forgets those that departed first, if they are too many. */
export function forgetDeparted(rows: Rows, key: string, account: AccountRow, now: number): void {
  const gone = rows.forgetDeparted(key);
  if (gone === 0) return;
  account.gone += gone;
  account.forgotten = now;
}
