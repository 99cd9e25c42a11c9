import { anyFunction, object, optional } from "../../core/checks.ts";
import { amounts } from "../ledger/amounts.ts";
import { type Grant, grantOf, lastGrants, REMEMBERED_GRANTS } from "../ledger/grants.ts";
import { isRunRecord } from "../ledger/listed-run.ts";
import { REMEMBERED_RUNS, runsIn, runText } from "../ledger/past-runs.ts";
import { changedHead, changedState, isHeadChange } from "../ledger/pool-changes.ts";
import { EMPTY_HEAD, EMPTY_STATE, type PoolHead, type RecordState, seenState } from "../ledger/pool-state.ts";
import { headName, partsOf } from "../ledger/record-name.ts";
import {
  type Account,
  asSeen,
  departed,
  expiryOf,
  isPresent,
  lapsed,
  type MemberEntry,
  REMEMBERED_MEMBERS,
  reset,
  taken,
} from "../ledger/rules.ts";
import type { PoolRecord, Store, Totals } from "../ledger/store.ts";

interface MemoryRecord extends Omit<Account, "state"> {
  state: RecordState;
  members: Map<string, MemberEntry>;
  /** Those that have a lease, and those that no longer have one, in the order in which they departed. */
  leased: Set<string>;
  departed: Set<string>;
  /** How many are not in the record any more. */
  gone: number;
  /** The keys of all extensions. */
  extensions: Set<string>;
  /** No lease ends before. */
  until: number;
  expires: number;
}

const checkOptions = object({ now: optional(anyFunction, Date.now) });

/** How often expired records are looked for, in milliseconds. */
const PRUNE_EVERY = 60_000;

/**
 * A store in the memory of this process, for pools whose members are all in it.
 *
 * @example
 * const pool = createPool({ id: "research", cost: 5, store: memoryStore() });
 */
export function memoryStore(options: { now?: () => number } = {}): Store {
  const { now: clock } = checkOptions(options, "") as { now: () => number };
  const records = new Map<string, MemoryRecord>();
  const heads = new Map<string, PoolHead>();
  const grants: Grant[] = [];
  /** By agent, and then by run. */
  const pastRuns = new Map<string, Map<string, string>>();
  let prunedAt = -Infinity;

  function current(): number {
    const now = clock();
    if (Math.abs(now - prunedAt) < PRUNE_EVERY) return now;
    prunedAt = now;
    for (const pool of [...records.keys()]) found(pool, now);
    return now;
  }

  function found(pool: string, now: number): MemoryRecord | undefined {
    const record = records.get(pool);
    if (!record || now < record.expires) return record;
    records.delete(pool);
    if (!partsOf(pool).per) heads.delete(pool);
    return undefined;
  }

  function recordOf(pool: string, now: number): MemoryRecord {
    const record = found(pool, now) ?? newRecord(now);
    records.set(pool, record);
    return record;
  }

  function headOf(pool: string): PoolHead {
    return heads.get(headName(partsOf(pool))) ?? EMPTY_HEAD;
  }

  function totals(pool: string, { settled, held, state, leased }: MemoryRecord): Totals {
    return {
      settled: { ...settled },
      held: { ...held },
      state: seenState(headOf(pool), state),
      agents: leased.size,
    };
  }

  function read(pool: string, now: number): PoolRecord | undefined {
    const record = found(pool, now);
    if (!record) return undefined;
    sweep(record, now);
    const members = [...record.members.values()].map((member) => asSeen(member, now));
    const others = departed(record.settled, members, record.gone);
    return { pool, members, departed: others, ...totals(pool, record), now };
  }

  function keep(grant: Grant | undefined): void {
    if (!grant) return;
    grants.push(grant);
    if (grants.length > REMEMBERED_GRANTS) grants.shift();
  }

  return {
    async take(take) {
      const now = current();
      const { pool } = take;
      const record = found(pool, now) ?? newRecord(now);
      sweep(record, now);
      const before = record.members.get(take.member.id);
      const account: Account = { ...record, state: { ...headOf(pool), extra: record.state.extra } };
      const { member, result } = taken(account, before, take, now);
      const isDone = member !== undefined && member !== before;
      if (isDone) {
        save(record, member, now);
        record.expires = expiryOf(take, now, finite(record.expires)) ?? Infinity;
        records.set(pool, record);
      }
      const { agents, ...rest } = totals(pool, record);
      // A lease of no time at all is over at once.
      const isGone = isDone && member.until !== 0 && !isPresent(member, now);
      const { holds = {}, incarnation = 0 } = member ?? {};
      return {
        ...result,
        ...{ holds: { ...holds }, incarnation, ...rest, agents: isGone ? agents - 1 : agents, now },
      };
    },
    async change(pool, change) {
      const now = current();
      if (isRunRecord(pool) && !found(pool, now))
        return { made: false, state: seenState(EMPTY_HEAD, EMPTY_STATE), now };
      if (isHeadChange(change)) {
        // With a record that has expired, what holds for its pool is forgotten.
        if (!partsOf(pool).per) recordOf(pool, now);
        const head = headOf(pool);
        const { made, after } = changedHead(head, change, now);
        heads.set(headName(partsOf(pool)), after);
        if (after !== head) keep(grantOf(pool, change, EMPTY_STATE, now));
        const state = found(pool, now)?.state ?? EMPTY_STATE;
        return { made, state: seenState(after, state), now };
      }
      const record = recordOf(pool, now);
      sweep(record, now);
      const isDone = change.kind === "extend" && record.extensions.has(change.key);
      const { limits } = headOf(pool);
      const { settled } = record;
      const { made, after } = changedState(record.state, change, now, { settled, limits, isDone });
      if (after !== record.state && change.kind === "extend") record.extensions.add(change.key);
      if (after !== record.state && change.kind === "reset") {
        record.settled = amounts();
        for (const [id, member] of record.members) record.members.set(id, reset(member));
      }
      if (after !== record.state) keep(grantOf(pool, change, record.state, now));
      record.state = after;
      return { made, state: seenState(headOf(pool), after), now };
    },
    async read(pool) {
      return read(pool, current());
    },
    async look(pool) {
      const now = current();
      const record = found(pool, now);
      if (record) sweep(record, now);
      return { totals: record && totals(pool, record), terms: headOf(pool), now };
    },
    async delete(pool) {
      const isKnown = found(pool, current()) !== undefined;
      records.delete(pool);
      return heads.delete(pool) || isKnown;
    },
    async list() {
      const now = current();
      return [...records.keys()].filter((pool) => found(pool, now) && !isRunRecord(pool));
    },
    async runs() {
      const now = current();
      const runs = [...records.keys()].filter(isRunRecord).map((run) => read(run, now));
      return runs.filter((run) => run !== undefined);
    },
    async grants() {
      return lastGrants(grants);
    },
    async remember(run) {
      const { id, agent } = run;
      const runs = pastRuns.get(agent) ?? new Map<string, string>();
      pastRuns.set(agent, runs);
      if (!runs.has(id)) runs.set(id, runText(run));
      const [oldest] = runs.keys();
      if (runs.size > REMEMBERED_RUNS && oldest !== undefined) runs.delete(oldest);
    },
    async pastRuns(agent) {
      return runsIn([...(pastRuns.get(agent)?.values() ?? [])]);
    },
    async now() {
      return current();
    },
    async close() {},
  };
}

function newRecord(now: number): MemoryRecord {
  return {
    settled: amounts(),
    held: amounts(),
    state: EMPTY_STATE,
    members: new Map(),
    leased: new Set(),
    departed: new Set(),
    gone: 0,
    extensions: new Set(),
    born: now,
    forgotten: 0,
    until: Infinity,
    expires: Infinity,
  };
}

function save(record: MemoryRecord, member: MemberEntry, now: number): void {
  const { members, leased, departed } = record;
  const { id, until } = member;
  members.set(id, member);
  if (until !== 0) {
    leased.add(id);
    departed.delete(id);
    record.until = Math.min(record.until, until);
    return;
  }
  leased.delete(id);
  departed.add(id);
  const [oldest] = departed;
  if (departed.size <= REMEMBERED_MEMBERS || oldest === undefined) return;
  departed.delete(oldest);
  members.delete(oldest);
  record.gone += 1;
  record.forgotten = now;
}

// Members whose lease is over.
function sweep(record: MemoryRecord, now: number): void {
  if (now < record.until) return;
  record.until = Infinity;
  for (const id of [...record.leased]) {
    const member = record.members.get(id) as MemberEntry;
    if (isPresent(member, now)) record.until = Math.min(record.until, member.until);
    else save(record, lapsed(record, member), now);
  }
}

function finite(time: number): number {
  return time === Infinity ? 0 : time;
}
