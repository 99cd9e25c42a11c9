import { type Amounts, add, amounts, of } from "./amounts.ts";
import { type PoolState, sum } from "./pool-state.ts";
import type { Member, Take, Taken } from "./store.ts";

/** A member as a store keeps it. */
export interface MemberEntry {
  id: string;
  name: string;
  used: Amounts;
  holds: Amounts;
  /** What it held when its lease ended, and was counted as used in its absence. */
  paid: Amounts;
  /** When its lease ends; 0 once it has left. */
  until: number;
  /** The number of its last request, and what came of it. */
  turn: number;
  last?: Pick<Taken, "kind" | "refused">;
}

/** The part of a record that a request reads and changes. Stores read it, apply the rules and write it. */
export interface Account {
  settled: Record<string, number>;
  held: Record<string, number>;
  state: PoolState;
}

/** A member that is not in the record yet. */
export function newMember({ id, name }: Take["member"]): MemberEntry {
  return { id, name, used: {}, holds: {}, paid: {}, until: 0, turn: 0 };
}

/** Does the member take part? */
export function isPresent({ until }: Pick<MemberEntry, "until">, now: number): boolean {
  return until > now;
}

/** The member's lease is over: what it held counts as used, for its request may have been sent. */
export function lapsed(account: Account, member: MemberEntry): MemberEntry {
  add(account.held, member.holds, -1);
  add(account.settled, member.holds);
  const used = amounts(member.used);
  const paid = amounts(member.paid);
  add(used, member.holds);
  add(paid, member.holds);
  return { ...member, used, paid, holds: {}, until: 0 };
}

/** The member after a reset of its pool: it has used nothing. */
export function forgotten(member: MemberEntry): MemberEntry {
  return { ...member, used: {}, paid: {} };
}

/**
 * Settles and reserves: the one rule of every pool. Changes the account in place, and returns the member as it is
 * afterwards. Members whose lease is over must have {@link lapsed} before.
 */
export function taken(
  account: Account,
  member: MemberEntry,
  take: Take,
  now: number,
): { member: MemberEntry; result: Pick<Taken, "kind" | "refused"> } {
  if (member.last && take.turn === member.turn) return { member, result: member.last };
  const reserves = take.want !== undefined || take.hold !== undefined;
  const { period } = take;
  if (reserves && period && !(period.from <= now && now < period.to))
    return { member, result: { kind: "stale", refused: [] } };

  const used = amounts(member.used);
  const settle = amounts(take.settle);
  // It was away for too long, and what it held was counted as used.
  add(settle, member.paid, -1);
  // What is given back may have been taken before a reset. Then it is not there any more.
  for (const [measure, amount] of Object.entries(settle))
    settle[measure] = Math.max(amount, -(of(used, measure) ?? 0));
  add(account.settled, settle);
  add(used, settle);
  const after = { ...member, name: take.member.name, used, paid: {}, turn: take.turn };
  after.until = take.leaves ? 0 : now + take.lease;
  if (take.hold || take.leaves) {
    add(account.held, after.holds, -1);
    after.holds = {};
  }

  const result = reserves ? reserved(account, after, take) : GRANTED;
  after.last = result;
  return { member: after, result };
}

const GRANTED: Pick<Taken, "kind" | "refused"> = { kind: "granted", refused: [] };

function reserved(account: Account, member: MemberEntry, take: Take): Pick<Taken, "kind" | "refused"> {
  const { state, settled, held } = account;
  const { want = {}, force = false, thawed } = take;
  if (!force && state.frozen && state.frozen.at !== thawed) return { kind: "frozen", refused: [] };
  const limits = take.limits ?? state.limits;
  const refused: string[] = [];
  const holds = amounts();
  for (const [measure, most] of Object.entries(limits)) {
    const wanted = of(want, measure);
    const expected = of(take.hold, measure);
    const max = sum(most, of(state.extra, measure));
    if (max === "unlimited") continue;
    const left = max - (settled[measure] ?? 0) - (held[measure] ?? 0);
    if (wanted !== undefined && wanted > left) refused.push(measure);
    if (expected === undefined) continue;
    if (left <= 0) refused.push(measure);
    else holds[measure] = Math.min(expected, left);
  }
  if (refused.length > 0 && !force) return { kind: "refused", refused };
  add(account.settled, want);
  const used = amounts(member.used);
  add(used, want);
  member.used = used;
  if (take.hold) {
    add(account.held, holds);
    member.holds = holds;
  }
  return GRANTED;
}

/** The member as others see it. */
export function asSeen({ id, name, used, holds, until }: MemberEntry, now: number): Member {
  return { id, name, used, holds, isPresent: isPresent({ until }, now) };
}
