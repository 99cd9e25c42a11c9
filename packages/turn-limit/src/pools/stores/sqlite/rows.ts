import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { PastRun } from "../../../core/history/past-run.ts";
import { amounts } from "../../ledger/amounts.ts";
import { type Grant, REMEMBERED_GRANTS } from "../../ledger/grants.ts";
import { isRunRecord, RUN_NAMES } from "../../ledger/listed-run.ts";
import { type EndedRun, REMEMBERED_RUNS, runsIn, runText } from "../../ledger/past-runs.ts";
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
import { type Found, KnownRows } from "./known-rows.ts";
import { RowTexts } from "./row-texts.ts";
import { SQL } from "./sql.ts";

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

/** The row of a record, the head of its pool, and beside them the row of a member, column by column. */
type FoundRow = [
  ...[until: number, expires: number | null, head: string | null, data: string | null],
  ...[poolHead: string | null, leaseEnd: number, entry: string | null],
];

/** Reads and writes the rows of a database, within a transaction. Pools and members are given by their keys. */
export class Rows {
  private readonly store: string;
  private readonly texts: RowTexts;
  private readonly known: KnownRows;
  private readonly sql: Record<keyof typeof SQL, StatementSync>;
  private lastState = { head: "", own: "", parts: { head: EMPTY_HEAD, own: EMPTY_STATE, state: EMPTY } };

  constructor(db: DatabaseSync, store: string) {
    this.store = store;
    this.texts = new RowTexts(store);
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, db.prepare(sql)]);
    this.sql = Object.fromEntries(prepared);
    this.known = new KnownRows(this.sql.version);
    // Reading a row as an object takes longer. Earlier versions of Node.js can do nothing else.
    this.sql.find.setReturnArrays?.(true);
  }

  /** Has to be called when a transaction that writes has begun. What a transaction that reads finds is not kept. */
  begin(): void {
    this.known.forgetIfChanged();
  }

  /** The row of a record, and that of a member, if there are any. */
  find(pool: string, head: string, member: string): Found {
    const known = this.known.find(pool, member);
    if (known) return known;
    const row = this.row(pool, head, member);
    const [, , , , , leaseEnd, entry] = row;
    return {
      account: this.accountOf(row),
      entry: entry === null ? undefined : this.texts.entryOf({ until: leaseEnd, data: entry }),
    };
  }

  /** What was changed may not be in the file. */
  forgetFound(): void {
    this.known.forgetAll();
  }

  account(pool: string, head: string): AccountRow {
    return this.accountOf(this.row(pool, head, ""));
  }

  private row(pool: string, head: string, member: string): FoundRow {
    const row = this.sql.find.get(pool, head, member) as unknown as FoundRow | Record<string, never>;
    return Array.isArray(row) ? row : (Object.values(row) as unknown as FoundRow);
  }

  members(pool: string): MemberEntry[] {
    return (this.sql.members.all(pool) as EntryRow[]).map((row) => this.texts.entryOf(row));
  }

  /** Members whose lease is over. */
  silent(pool: string, now: number): MemberEntry[] {
    return (this.sql.silent.all(pool, now) as EntryRow[]).map((row) => this.texts.entryOf(row));
  }

  /** When the next lease of a member ends. */
  nextEnd(pool: string): number {
    const { until } = this.sql.nextEnd.get(pool) as { until: number | null };
    return until ?? Infinity;
  }

  pools(now: number): string[] {
    const rows = this.sql.pools.all() as { pool: string; expires: number | null }[];
    return rows
      .map(({ pool, expires }) => ({ name: this.texts.parsed(pool) as string, expires }))
      .filter(
        ({ name, expires }) => !isRunRecord(name) && (expires === null || expires > now || partsOf(name).per),
      )
      .map(({ name }) => name);
  }

  /** The records of runs that have not expired. */
  runs(now: number): string[] {
    const [from, to] = [RUN_NAMES.from, RUN_NAMES.to].map((name) => keyOf(name).slice(0, -1)) as [
      string,
      string,
    ];
    const rows = this.sql.runs.all(from, to, now) as { pool: string }[];
    return rows.map(({ pool }) => this.texts.parsed(pool) as string);
  }

  saveGrant(grant: Grant): void {
    const { lastInsertRowid } = this.sql.saveGrant.run(JSON.stringify(grant));
    this.sql.forgetGrants.run(Number(lastInsertRowid) - REMEMBERED_GRANTS);
  }

  grants(): Grant[] {
    const rows = this.sql.grants.all() as { data: string }[];
    return rows.map(({ data }) => this.texts.object(data) as unknown as Grant);
  }

  saveRun(run: EndedRun): void {
    const agent = keyOf(run.agent);
    this.sql.saveRun.run(agent, keyOf(run.id), runText(run));
    this.sql.forgetRuns.run(agent, REMEMBERED_RUNS);
  }

  pastRuns(agent: string): PastRun[] {
    const rows = this.sql.pastRuns.all(keyOf(agent)) as { data: string }[];
    return runsIn(rows.map(({ data }) => data));
  }

  saveMember(pool: string, entry: MemberEntry, now: number): void {
    this.known.forget(pool);
    const { until } = entry;
    const key = keyOf(entry.id);
    const data = memberText(entry);
    const departed = until === 0 ? now : null;
    if (this.sql.saveMember.run(until, departed, data, pool, key).changes === 0)
      this.sql.addMember.run(until, departed, data, pool, key);
  }

  /**
   * Saves what a request found and changed: a member that takes part and did before, and the account without its state. Both
   * must be there already. The next request need not read them again.
   */
  saveFound(
    pool: string,
    key: string,
    account: AccountRow,
    entry: MemberEntry,
    expires: number | null,
  ): void {
    const { until } = account;
    // Where a column has an index, also writing what was there before takes longer.
    if (account.expires === expires) this.sql.saveFound.get(until, accountText(account), pool, "");
    else this.sql.saveAccount.get(until, account.expires, accountText(account), pool);
    this.sql.saveFound.get(entry.until, memberText(entry), pool, key);
    this.known.keep(pool, key, { account, entry });
  }

  /** What a request found may have been changed without being saved. */
  forgetUnsaved(pool: string): void {
    this.known.forget(pool);
  }

  /** Forgets members whose lease is over, up to a key. */
  forgetSilent(pool: string, now: number, before: string): void {
    this.known.forget(pool);
    this.sql.forgetSilent.run(pool, now, before);
  }

  /** Are there more than so many members whose lease is over? */
  hasMoreSilent(pool: string, now: number, than: number): boolean {
    const { count } = this.sql.countSilent.get(pool, now, than + 1) as { count: number };
    return count > than;
  }

  /** Forgets those that departed first, if they are too many. Returns how many. */
  forgetDeparted(pool: string): number {
    this.known.forget(pool);
    const { count } = this.sql.countDeparted.get(pool) as { count: number };
    if (count <= REMEMBERED_MEMBERS) return 0;
    this.sql.forgetDeparted.run(pool, count - REMEMBERED_MEMBERS);
    return count - REMEMBERED_MEMBERS;
  }

  /** Saves the account. The state of the record is saved only with a new one. */
  saveAccount(pool: string, account: AccountRow): void {
    this.known.forget(pool);
    const { until, own, isNew, expires } = account;
    const data = accountText(account);
    if (isNew) this.sql.addAccount.run(pool, until, expires, JSON.stringify(own), data);
    else this.sql.saveAccount.run(until, expires, data, pool);
  }

  saveState(pool: string, state: RecordState): void {
    this.known.forget(pool);
    this.sql.saveState.run(JSON.stringify(state), pool);
  }

  saveHead(name: string, head: PoolHead): void {
    this.forgetFound();
    this.sql.saveHead.run(name, JSON.stringify(head));
  }

  isExtendedBy(pool: string, key: string): boolean {
    return this.sql.extension.get(pool, key) !== undefined;
  }

  saveExtension(pool: string, key: string): void {
    this.sql.saveExtension.run(pool, key);
  }

  /** Was there anything to forget? */
  forget(pool: string): boolean {
    this.forgetFound();
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
    this.forgetFound();
    this.sql.spare.run(now);
    for (const row of this.sql.expired.all(now)) {
      const { pool, doomed } = row as { pool: string; doomed: number | null };
      if (!partsOf(this.texts.parsed(pool) as string).per) this.forget(pool);
      else if (doomed === null) this.sql.doom.run(now, pool);
      else if (now >= doomed + between) this.forget(pool);
    }
  }

  private accountOf([until, expires, head, data, poolHead]: FoundRow): AccountRow {
    const parts = this.stateOf(poolHead ?? "", head ?? "");
    if (data === null) return { ...newAccount(), ...parts };
    const { settled, held, agents, born = 0, forgotten = 0, gone = 0 } = this.texts.object(data);
    for (const number of [agents, born, forgotten, gone])
      if (!Number.isFinite(number)) throw damagedStore(this.store);
    return {
      settled: this.texts.amounts(settled),
      held: this.texts.amounts(held),
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
    const [poolHead, state] = [this.texts.headOf(head), this.texts.ownOf(own)];
    const parts = { head: poolHead, own: state, state: seenState(poolHead, state) };
    this.lastState = { head, own, parts };
    return parts;
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

function accountText({ settled, held, agents, born, forgotten, gone }: AccountRow): string {
  return JSON.stringify({ settled, held, agents, born, forgotten, gone });
}

function memberText({ until: _, ...kept }: MemberEntry): string {
  return JSON.stringify(kept);
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
