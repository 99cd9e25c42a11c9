import { anyFunction, object, optional } from "../../core/checks.ts";
import { amounts } from "../ledger/amounts.ts";
import { changedState, EMPTY_STATE } from "../ledger/pool-state.ts";
import {
  type Account,
  asSeen,
  forgotten,
  isPresent,
  lapsed,
  type MemberEntry,
  newMember,
  taken,
} from "../ledger/rules.ts";
import type { Store } from "../ledger/store.ts";

interface MemoryRecord extends Account {
  members: Map<string, MemberEntry>;
  /** Those that have a lease: few, where many have left. */
  leased: Set<string>;
  /** No lease ends before. */
  until: number;
  expires: number;
}

const checkOptions = object({ now: optional(anyFunction, Date.now) });

/**
 * A store in the memory of this process, for pools whose members are all in it.
 *
 * @example
 * const pool = createPool({ id: "research", cost: 5, store: memoryStore() });
 */
export function memoryStore(options: { now?: () => number } = {}): Store {
  const { now: clock } = checkOptions(options, "") as { now: () => number };
  const records = new Map<string, MemoryRecord>();
  /** No record expires before. */
  let expiry = Infinity;

  function current(): number {
    const now = clock();
    if (now < expiry) return now;
    expiry = Infinity;
    for (const [pool, { expires }] of records)
      if (expires <= now) records.delete(pool);
      else expiry = Math.min(expiry, expires);
    return now;
  }

  function recordOf(pool: string): MemoryRecord {
    const record = records.get(pool) ?? {
      settled: amounts(),
      held: amounts(),
      state: EMPTY_STATE,
      members: new Map(),
      leased: new Set(),
      until: Infinity,
      expires: Infinity,
    };
    records.set(pool, record);
    return record;
  }

  function totals({ settled, held, state, members, leased }: MemoryRecord, now: number) {
    const entries = [...leased].map((id) => members.get(id) as MemberEntry);
    const agents = entries.filter((member) => isPresent(member, now)).length;
    return { settled: { ...settled }, held: { ...held }, state, agents, now };
  }

  function save(record: MemoryRecord, member: MemberEntry): void {
    record.members.set(member.id, member);
    if (member.until === 0) record.leased.delete(member.id);
    else {
      record.leased.add(member.id);
      record.until = Math.min(record.until, member.until);
    }
  }

  function sweep(record: MemoryRecord, now: number): void {
    if (now < record.until) return;
    record.until = Infinity;
    for (const id of [...record.leased]) {
      const member = record.members.get(id) as MemberEntry;
      save(record, isPresent(member, now) ? member : lapsed(record, member));
    }
  }

  return {
    async take(take) {
      const now = current();
      const record = recordOf(take.pool);
      sweep(record, now);
      const before = record.members.get(take.member.id) ?? newMember(take.member);
      const { member, result } = taken(record, before, take, now);
      if (result.kind !== "stale") save(record, member);
      if (take.expires !== undefined) {
        record.expires = take.expires;
        expiry = Math.min(expiry, take.expires);
      }
      return { ...result, holds: { ...member.holds }, ...totals(record, now) };
    },
    async change(pool, change) {
      const now = current();
      const record = recordOf(pool);
      sweep(record, now);
      const state = changedState(record.state, change, now);
      const made = state !== record.state || record.state.done.includes(change.key);
      if (state !== record.state && change.kind === "reset") {
        record.settled = amounts();
        for (const [id, member] of record.members) record.members.set(id, forgotten(member));
      }
      record.state = state;
      return { made, state, now };
    },
    async read(pool) {
      const now = current();
      const record = records.get(pool);
      if (!record) return undefined;
      sweep(record, now);
      const members = [...record.members.values()].map((member) => asSeen(member, now));
      return { pool, members, ...totals(record, now) };
    },
    async list() {
      current();
      return [...records.keys()];
    },
    async now() {
      return current();
    },
    async close() {},
  };
}
