import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isPlainObject } from "../../../core/checks.ts";
import { type Amounts, amounts } from "../../ledger/amounts.ts";
import { EMPTY_STATE, type PoolState } from "../../ledger/pool-state.ts";
import type { Account, MemberEntry } from "../../ledger/rules.ts";
import { damagedStore } from "./failures.ts";

/** The row of a pool. */
export interface AccountRow extends Account {
  /** No lease ends before. */
  until: number;
  expires: number | null;
  /** How many members have a lease. */
  agents: number;
  isNew: boolean;
}

type Row = Record<"head" | "data", string> & { until: number; expires: number | null };

/** The row of a pool, and beside it that of a member. */
type FoundRow = Row & { leaseEnd: number; entry: string | null };

/** Reads and writes the rows of a database, within a transaction. Pools and members are given by their keys. */
export class Rows {
  private readonly store: string;
  private readonly sql: Record<keyof typeof SQL, StatementSync>;
  private lastState: { text: string; state: PoolState } = { text: "", state: EMPTY_STATE };

  constructor(db: DatabaseSync, store: string) {
    this.store = store;
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.sql = Object.fromEntries(prepared);
  }

  /** The row of a pool, and that of a member, if there are any. */
  find(pool: string, member: string): { account: AccountRow; entry: MemberEntry | undefined } {
    const row = this.sql.find.get(pool, member) as FoundRow | undefined;
    if (!row) return { account: newAccount(), entry: undefined };
    const { leaseEnd, entry } = row;
    return {
      account: this.accountOf(row),
      entry: entry === null ? undefined : this.entryOf({ until: leaseEnd, data: entry }),
    };
  }

  account(pool: string): AccountRow {
    const row = this.sql.account.get(pool) as Row | undefined;
    return row ? this.accountOf(row) : newAccount();
  }

  members(pool: string): MemberEntry[] {
    return (this.sql.members.all(pool) as Row[]).map((row) => this.entryOf(row));
  }

  /** Members whose lease is over. */
  silent(pool: string, now: number): MemberEntry[] {
    return (this.sql.silent.all(pool, now) as Row[]).map((row) => this.entryOf(row));
  }

  /** When the next lease of a member ends. */
  nextEnd(pool: string): number {
    const { until } = this.sql.nextEnd.get(pool) as { until: number | null };
    return until ?? Infinity;
  }

  pools(now: number): string[] {
    const rows = this.sql.pools.all(now) as { pool: string }[];
    return rows.map(({ pool }) => this.parsed(pool) as string);
  }

  saveMember(pool: string, entry: MemberEntry): void {
    const { id, name, used, holds, paid, turn, last, until } = entry;
    const data = JSON.stringify({ id, name, used, holds, paid, turn, last });
    const key = keyOf(id);
    if (this.sql.saveMember.run(until, data, pool, key).changes === 0)
      this.sql.addMember.run(until, data, pool, key);
  }

  /** Saves the account. The state of the pool is saved only with a new one. */
  saveAccount(pool: string, { until, settled, held, agents, state, isNew }: AccountRow): void {
    const data = JSON.stringify({ settled, held, agents });
    if (isNew) this.sql.addAccount.run(pool, until, JSON.stringify(state), data);
    else this.sql.saveAccount.run(until, data, pool);
  }

  saveState(pool: string, state: PoolState): void {
    this.sql.saveState.run(JSON.stringify(state), pool);
  }

  saveExpiry(pool: string, expires: number): void {
    this.sql.saveExpiry.run(expires, pool);
  }

  forget(pool: string): void {
    this.sql.forget.run(pool);
  }

  forgetExpired(now: number): void {
    for (const { pool } of this.sql.expired.all(now) as { pool: string }[]) this.forget(pool);
  }

  private accountOf({ until, expires, head, data }: Row): AccountRow {
    const { settled, held, agents } = this.object(data);
    if (!Number.isSafeInteger(agents)) throw damagedStore(this.store);
    return {
      settled: amounts(this.amounts(settled)),
      held: amounts(this.amounts(held)),
      agents: agents as number,
      state: this.stateOf(head),
      until,
      expires,
      isNew: false,
    };
  }

  // It changes seldom, and is the same for many pools.
  private stateOf(text: string): PoolState {
    if (text === this.lastState.text) return this.lastState.state;
    const { limits, extra, questions, done, frozen, marks } = this.object(text);
    const isWhole = [limits, extra, questions].every(isPlainObject) && Array.isArray(done);
    if (!isWhole || (frozen !== undefined && !isPlainObject(frozen))) throw damagedStore(this.store);
    const state = {
      limits,
      extra,
      questions,
      done,
      ...(frozen !== undefined && { frozen }),
      ...(Array.isArray(marks) && { marks }),
    } as unknown as PoolState;
    this.lastState = { text, state };
    return state;
  }

  private entryOf({ until, data }: Pick<Row, "until" | "data">): MemberEntry {
    const { id, name, used, holds, paid, turn, last } = this.object(data);
    if (typeof id !== "string" || typeof name !== "string" || !Number.isFinite(turn))
      throw damagedStore(this.store);
    return {
      id,
      name,
      used: this.amounts(used),
      holds: this.amounts(holds),
      paid: this.amounts(paid),
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

function newAccount(): AccountRow {
  return {
    settled: amounts(),
    held: amounts(),
    state: EMPTY_STATE,
    agents: 0,
    until: Infinity,
    expires: null,
    isNew: true,
  };
}

const SQL = {
  find: `SELECT p.until, p.expires, p.head, p.data, m.until AS leaseEnd, m.data AS entry
    FROM entries p LEFT JOIN entries m ON m.pool = p.pool AND m.member = ?2
    WHERE p.pool = ?1 AND p.member = ''`,
  account: "SELECT * FROM entries WHERE pool = ? AND member = ''",
  members: "SELECT * FROM entries WHERE pool = ? AND member > ''",
  silent: "SELECT * FROM entries WHERE pool = ? AND member > '' AND until > 0 AND until <= ?",
  nextEnd: "SELECT min(until) AS until FROM entries WHERE pool = ? AND member > '' AND until > 0",
  pools: "SELECT pool FROM entries WHERE member = '' AND (expires IS NULL OR expires > ?)",
  saveMember: "UPDATE entries SET until = ?, data = ? WHERE pool = ? AND member = ?",
  addMember: "INSERT INTO entries (until, data, pool, member) VALUES (?, ?, ?, ?)",
  addAccount: "INSERT INTO entries (pool, member, until, head, data) VALUES (?, '', ?, ?, ?)",
  saveAccount: "UPDATE entries SET until = ?, data = ? WHERE pool = ? AND member = ''",
  saveState: "UPDATE entries SET head = ? WHERE pool = ? AND member = ''",
  saveExpiry: "UPDATE entries SET expires = ? WHERE pool = ? AND member = ''",
  forget: "DELETE FROM entries WHERE pool = ?",
  expired: "SELECT pool FROM entries WHERE expires <= ?",
};
