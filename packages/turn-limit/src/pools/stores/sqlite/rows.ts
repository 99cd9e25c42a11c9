import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isPlainObject } from "../../../core/checks.ts";
import { type Amounts, amounts } from "../../ledger/amounts.ts";
import {
  EMPTY_HEAD,
  EMPTY_STATE,
  type PoolHead,
  type PoolState,
  type RecordState,
  seenState,
} from "../../ledger/pool-state.ts";
import { headName, partsOf } from "../../ledger/record-name.ts";
import { type Account, type MemberEntry, REMEMBERED_MEMBERS } from "../../ledger/rules.ts";
import { damagedStore } from "./failures.ts";

/** The row of a record. */
export interface AccountRow extends Account {
  state: PoolState;
  /** The parts of the state. */
  head: PoolHead;
  own: RecordState;
  /** No lease ends before. */
  until: number;
  expires: number | null;
  /** How many members have a lease, and how many are not in the record any more. */
  agents: number;
  gone: number;
  isNew: boolean;
}

type EntryRow = { until: number; data: string };

type Row = { head: string | null; data: string | null; until: number; expires: number | null };

/** The head of a pool, the row of a record, and beside it that of a member. */
type FoundRow = Row & { poolHead: string | null; leaseEnd: number; entry: string | null };

/** Reads and writes the rows of a database, within a transaction. Pools and members are given by their keys. */
export class Rows {
  private readonly store: string;
  private readonly sql: Record<keyof typeof SQL, StatementSync>;
  private lastState = { head: "", own: "", parts: { head: EMPTY_HEAD, own: EMPTY_STATE, state: EMPTY } };

  constructor(db: DatabaseSync, store: string) {
    this.store = store;
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.sql = Object.fromEntries(prepared);
  }

  /** The row of a record, and that of a member, if there are any. */
  find(pool: string, head: string, member: string): { account: AccountRow; entry: MemberEntry | undefined } {
    const row = this.sql.find.get(pool, head, member) as FoundRow;
    const { leaseEnd, entry } = row;
    return {
      account: this.accountOf(row),
      entry: entry === null ? undefined : this.entryOf({ until: leaseEnd, data: entry }),
    };
  }

  account(pool: string, head: string): AccountRow {
    return this.accountOf(this.sql.find.get(pool, head, "") as FoundRow);
  }

  members(pool: string): MemberEntry[] {
    return (this.sql.members.all(pool) as EntryRow[]).map((row) => this.entryOf(row));
  }

  /** Members whose lease is over. */
  silent(pool: string, now: number): MemberEntry[] {
    return (this.sql.silent.all(pool, now) as EntryRow[]).map((row) => this.entryOf(row));
  }

  /** When the next lease of a member ends. */
  nextEnd(pool: string): number {
    const { until } = this.sql.nextEnd.get(pool) as { until: number | null };
    return until ?? Infinity;
  }

  pools(now: number): string[] {
    const rows = this.sql.pools.all() as { pool: string; expires: number | null }[];
    return rows
      .map(({ pool, expires }) => ({ name: this.parsed(pool) as string, expires }))
      .filter(({ name, expires }) => expires === null || expires > now || partsOf(name).per)
      .map(({ name }) => name);
  }

  saveMember(pool: string, entry: MemberEntry, now: number): void {
    const { id, name, used, told, holds, paid, incarnation, turn, last, until } = entry;
    const data = JSON.stringify({ id, name, used, told, holds, paid, incarnation, turn, last });
    const key = keyOf(id);
    const departed = until === 0 ? now : null;
    if (this.sql.saveMember.run(until, departed, data, pool, key).changes === 0)
      this.sql.addMember.run(until, departed, data, pool, key);
  }

  /** Forgets those that departed first, if they are too many. Returns how many. */
  forgetDeparted(pool: string): number {
    const { count } = this.sql.countDeparted.get(pool) as { count: number };
    if (count <= REMEMBERED_MEMBERS) return 0;
    this.sql.forgetDeparted.run(pool, count - REMEMBERED_MEMBERS);
    return count - REMEMBERED_MEMBERS;
  }

  /** Saves the account. The state of the record is saved only with a new one. */
  saveAccount(pool: string, account: AccountRow): void {
    const { until, settled, held, agents, born, forgotten, gone, own, isNew } = account;
    const data = JSON.stringify({ settled, held, agents, born, forgotten, gone });
    if (isNew) this.sql.addAccount.run(pool, until, JSON.stringify(own), data);
    else this.sql.saveAccount.run(until, data, pool);
  }

  saveState(pool: string, state: RecordState): void {
    this.sql.saveState.run(JSON.stringify(state), pool);
  }

  saveHead(name: string, head: PoolHead): void {
    this.sql.saveHead.run(name, JSON.stringify(head));
  }

  isExtendedBy(pool: string, key: string): boolean {
    return this.sql.extension.get(pool, key) !== undefined;
  }

  saveExtension(pool: string, key: string): void {
    this.sql.saveExtension.run(pool, key);
  }

  saveExpiry(pool: string, expires: number): void {
    this.sql.saveExpiry.run(expires, pool);
  }

  /** Was there anything to forget? */
  forget(pool: string): boolean {
    this.sql.forgetExtensions.run(pool);
    // What holds in every period is kept.
    const { forget, forgetHead } = this.sql;
    return [forget, forgetHead].map((sql) => Number(sql.run(pool).changes)).some((changes) => changes > 0);
  }

  /**
   * Forgets what has expired. The record of a period has, when it was found so twice, `between` milliseconds or more apart,
   * and not found otherwise in between: a clock that is wrong for a while deletes nobody's day.
   */
  forgetExpired(now: number, between: number): void {
    this.sql.spare.run(now);
    for (const row of this.sql.expired.all(now)) {
      const { pool, doomed } = row as { pool: string; doomed: number | null };
      if (!partsOf(this.parsed(pool) as string).per) this.forget(pool);
      else if (doomed === null) this.sql.doom.run(now, pool);
      else if (now >= doomed + between) this.forget(pool);
    }
  }

  private accountOf({ until, expires, head, data, poolHead }: FoundRow): AccountRow {
    const parts = this.stateOf(poolHead ?? "", head ?? "");
    if (data === null) return { ...newAccount(), ...parts };
    const { settled, held, agents, born = 0, forgotten = 0, gone = 0 } = this.object(data);
    for (const number of [agents, born, forgotten, gone])
      if (!Number.isFinite(number)) throw damagedStore(this.store);
    return {
      settled: amounts(this.amounts(settled)),
      held: amounts(this.amounts(held)),
      agents: agents as number,
      born: born as number,
      forgotten: forgotten as number,
      gone: gone as number,
      ...parts,
      until,
      expires,
      isNew: false,
    };
  }

  // It changes seldom, and is the same for many pools.
  private stateOf(head: string, own: string) {
    const { lastState } = this;
    if (head === lastState.head && own === lastState.own) return lastState.parts;
    const [poolHead, state] = [this.headOf(head), this.ownOf(own)];
    const parts = { head: poolHead, own: state, state: seenState(poolHead, state) };
    this.lastState = { head, own, parts };
    return parts;
  }

  private headOf(text: string): PoolHead {
    if (text === "") return EMPTY_HEAD;
    const head = this.object(text);
    const { limits, frozen, done } = head;
    if (!isPlainObject(limits) || !Array.isArray(done) || (frozen !== undefined && !isPlainObject(frozen)))
      throw damagedStore(this.store);
    return head as unknown as PoolHead;
  }

  private ownOf(text: string): RecordState {
    if (text === "") return EMPTY_STATE;
    const { extra, questions, done, marks, resets } = this.object(text);
    if (![extra, questions].every(isPlainObject) || !Array.isArray(done)) throw damagedStore(this.store);
    return {
      ...{ extra, questions, done },
      ...(Array.isArray(marks) && { marks }),
      ...(typeof resets === "number" && { resets }),
    } as unknown as RecordState;
  }

  private entryOf({ until, data }: EntryRow): MemberEntry {
    // Version 1 knows no incarnations.
    const { id, name, used, told = {}, holds, paid, incarnation = 0, turn, last } = this.object(data);
    if (typeof id !== "string" || typeof name !== "string") throw damagedStore(this.store);
    if (!Number.isFinite(turn) || !Number.isFinite(incarnation)) throw damagedStore(this.store);
    return {
      id,
      name,
      used: this.amounts(used),
      told: this.amounts(told),
      holds: this.amounts(holds),
      paid: this.amounts(paid),
      incarnation: incarnation as number,
      turn: turn as number,
      until,
      ...(isPlainObject(last) && { last: last as unknown as NonNullable<MemberEntry["last"]> }),
    };
  }

  private amounts(value: unknown): Amounts {
    if (!isPlainObject(value)) throw damagedStore(this.store);
    for (const measure in value) if (!Number.isFinite(value[measure])) throw damagedStore(this.store);
    return value as Amounts;
  }

  private object(text: string): Record<string, unknown> {
    const value = this.parsed(text);
    if (isPlainObject(value)) return value;
    throw damagedStore(this.store);
  }

  private parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw damagedStore(this.store, error);
    }
  }
}

/** The name of a pool or a member as it is in the table. */
export function keyOf(name: string): string {
  return JSON.stringify(name);
}

/** The key of what holds for all records of a pool. */
export function headKeyOf(record: string): string {
  return keyOf(headName(partsOf(record)));
}

function newAccount(): Omit<AccountRow, "state" | "head" | "own"> {
  return {
    settled: amounts(),
    held: amounts(),
    agents: 0,
    born: 0,
    forgotten: 0,
    gone: 0,
    until: Infinity,
    expires: null,
    isNew: true,
  };
}

const EMPTY = seenState(EMPTY_HEAD, EMPTY_STATE);

const SQL = {
  find: `SELECT p.until, p.expires, p.head, p.data, h.head AS poolHead, m.until AS leaseEnd, m.data AS entry
    FROM (SELECT 1)
    LEFT JOIN entries p ON p.pool = ?1 AND p.member = ''
    LEFT JOIN heads h ON h.pool = ?2
    LEFT JOIN entries m ON m.pool = ?1 AND m.member = ?3 AND m.member > ''`,
  members: "SELECT * FROM entries WHERE pool = ? AND member > ''",
  silent: "SELECT * FROM entries WHERE pool = ? AND member > '' AND until > 0 AND until <= ?",
  nextEnd: "SELECT min(until) AS until FROM entries WHERE pool = ? AND member > '' AND until > 0",
  pools: "SELECT pool, expires FROM entries WHERE member = ''",
  saveMember: "UPDATE entries SET until = ?, departed = ?, data = ? WHERE pool = ? AND member = ?",
  addMember: "INSERT INTO entries (until, departed, data, pool, member) VALUES (?, ?, ?, ?, ?)",
  countDeparted: "SELECT count(*) AS count FROM entries WHERE pool = ? AND departed IS NOT NULL",
  forgetDeparted: `DELETE FROM entries WHERE pool = ?1 AND member IN
    (SELECT member FROM entries WHERE pool = ?1 AND departed IS NOT NULL ORDER BY departed LIMIT ?2)`,
  addAccount: "INSERT INTO entries (pool, member, until, head, data) VALUES (?, '', ?, ?, ?)",
  saveAccount: "UPDATE entries SET until = ?, data = ? WHERE pool = ? AND member = ''",
  saveState: "UPDATE entries SET head = ? WHERE pool = ? AND member = ''",
  saveHead: "INSERT INTO heads VALUES (?, ?) ON CONFLICT DO UPDATE SET head = excluded.head",
  saveExpiry: "UPDATE entries SET expires = ? WHERE pool = ? AND member = ''",
  extension: "SELECT 1 FROM extensions WHERE pool = ? AND key = ?",
  saveExtension: "INSERT OR IGNORE INTO extensions VALUES (?, ?)",
  forget: "DELETE FROM entries WHERE pool = ?",
  forgetExtensions: "DELETE FROM extensions WHERE pool = ?",
  forgetHead: "DELETE FROM heads WHERE pool = ?",
  expired: "SELECT pool, doomed FROM entries WHERE expires <= ?",
  doom: "UPDATE entries SET doomed = ? WHERE pool = ? AND member = ''",
  spare: "UPDATE entries SET doomed = NULL WHERE doomed IS NOT NULL AND expires > ?",
};
