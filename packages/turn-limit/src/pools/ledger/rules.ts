import { type Amounts, add, addAll, amounts, dropNothing, of, sum } from "./amounts.ts";
import type { ListedRun } from "./listed-run.ts";
import type { PoolState } from "./pool-state.ts";
import type { Member, PoolRecord, Take, Taken } from "./store.ts";

/** A member as a store keeps it. */
export interface MemberEntry {
  id: string;
  name: string;
  used: Amounts;
  /** What this incarnation has said that it used, or was granted. Unlike `used`, it is not forgotten with a reset. */
  told: Amounts;
  holds: Amounts;
  /** What it held when its lease ended, and was counted as used in its absence. */
  paid: Amounts;
  /** When its lease ends; 0 once it has left. */
  until: number;
  /** Its latest incarnation, the number of its last request, and what came of that. */
  incarnation: number;
  turn: number;
  last?: Verdict;
  /** What a listed run says of itself. */
  run?: ListedRun;
}

/** The part of a record that a request reads and changes. Stores read it, apply the rules and write it. */
export interface Account {
  settled: Record<string, number>;
  held: Record<string, number>;
  state: Pick<PoolState, "limits" | "extra" | "frozen">;
  /** When the record was made, in the store's time. */
  born: number;
  /** Members that departed by then may have been forgotten. */
  forgotten: number;
}

type Verdict = Pick<Taken, "kind" | "refused">;

/** How many members are remembered of those that left or were silent for too long. Of the others only the sum is. */
export const REMEMBERED_MEMBERS = 100;

/** How long the record of a period is kept after it, in milliseconds. */
export const PERIOD_KEPT = 31 * 86_400_000;

/** The last moment that there is a date for. */
const LATEST = 8_640_000_000_000_000;

/** When the record may be forgotten, after this request; `undefined`: never. It is never earlier than it was. */
export function expiryOf({ period, keepFor, lease }: Take, now: number, before = 0): number | undefined {
  if (period) return period.to + PERIOD_KEPT;
  if (keepFor === undefined) return before || undefined;
  return Math.max(before, Math.min(LATEST, Math.ceil(now + Math.max(keepFor, lease))));
}

function newMember({ member: { id, name }, incarnation }: Take): MemberEntry {
  return { id, name, used: {}, told: {}, holds: {}, paid: {}, until: 0, incarnation, turn: 0 };
}

/** Does the member take part? */
export function isPresent({ until }: Pick<MemberEntry, "until">, now: number): boolean {
  return until > now;
}

/** The member's lease is over: what it held counts as used, for its request may have been sent. */
export function lapsed(account: Pick<Account, "settled" | "held">, member: MemberEntry): MemberEntry {
  add(account.held, member.holds, -1);
  add(account.settled, member.holds);
  const used = amounts(member.used);
  const paid = amounts(member.paid);
  add(used, member.holds);
  add(paid, member.holds);
  return { ...member, used, paid, holds: {}, until: 0 };
}

/** The member after a reset of its pool: it has used nothing. */
export function reset(member: MemberEntry): MemberEntry {
  return { ...member, used: {}, paid: {} };
}

/**
 * Settles and reserves: the one rule of every pool. Changes the account in place, and returns the member as it is
 * afterwards, which is the same object if nothing was done. Members whose lease is over must have {@link lapsed} before.
 */
export function taken(
  account: Account,
  entry: MemberEntry | undefined,
  take: Take,
  now: number,
): { member: MemberEntry | undefined; result: Verdict } {
  const kind = outOfOrder(account, entry, take);
  if (kind) return { member: entry, result: { kind, refused: [] } };
  const isSame = entry?.incarnation === take.incarnation;
  if (isSame && entry.last && take.turn === entry.turn) return { member: entry, result: entry.last };
  const reserves = take.want !== undefined || take.hold !== undefined;
  const { period } = take;
  if (reserves && period && !(period.from <= now && now < period.to))
    return { member: entry, result: { kind: "stale", refused: [] } };

  // What an earlier incarnation held, nobody will settle any more.
  const before = isSame ? entry : entry ? { ...lapsed(account, entry), told: {}, paid: {} } : newMember(take);
  const used = amounts(before.used);
  const told = amounts(take.used);
  const settle = amounts(take.used);
  addAll(settle, before.told, -1);
  // It was away for too long, and what it held was counted as used.
  addAll(settle, before.paid, -1);
  // What is given back may have been taken before a reset. Then it is not there any more.
  for (const measure of Object.keys(settle))
    settle[measure] = Math.max(settle[measure] as number, -(used[measure] ?? 0));
  addAll(account.settled, settle);
  addAll(used, settle);
  const isFree = take.hold !== undefined || take.leaves === true;
  if (isFree) addAll(account.held, before.holds, -1);
  const granted: Granted = { used, told, holds: isFree ? {} : before.holds };
  const result = reserves ? reserved(account, granted, take) : GRANTED;
  dropNothing(account.settled);
  dropNothing(account.held);
  dropNothing(used);
  const run = take.member.run ?? before.run;
  const member: MemberEntry = {
    ...{ id: before.id, name: take.member.name, used, told, holds: granted.holds, paid: {} },
    ...{ incarnation: take.incarnation, turn: take.turn, last: result },
    until: take.leaves ? 0 : now + take.lease,
    ...(run && { run }),
  };
  return { member, result };
}

/** What changes of a member when its request is granted. */
interface Granted {
  used: Record<string, number>;
  told: Record<string, number>;
  holds: Amounts;
}

const GRANTED: Verdict = { kind: "granted", refused: [] };

// A request that comes too late, or after ones that are no longer known.
function outOfOrder(
  { born, forgotten }: Account,
  entry: MemberEntry | undefined,
  { incarnation, turn, answered, heard, keepFor, lease }: Take,
): "late" | "forgotten" | "lost" | undefined {
  if (entry && incarnation < entry.incarnation) return "late";
  if (entry?.incarnation === incarnation) {
    if (answered > entry.turn) return "lost";
    return turn < entry.turn ? "late" : undefined;
  }
  if (answered === 0) return undefined;
  const isExpired = keepFor !== undefined && born >= heard + Math.max(keepFor, lease);
  // A record that was made after the member heard of one forgets only its own members.
  const isForgotten = born <= heard && heard <= forgotten;
  return !entry && (isExpired || isForgotten) ? "forgotten" : "lost";
}

function reserved(account: Account, member: Granted, take: Take): Verdict {
  const { state, settled, held } = account;
  const { want, hold, force = false, thawed } = take;
  if (!force && state.frozen && state.frozen.at !== thawed) return { kind: "frozen", refused: [] };
  const limits = take.limits ?? state.limits;
  const refused: string[] = [];
  const holds = amounts();
  for (const measure of Object.keys(limits)) {
    const wanted = of(want, measure);
    const expected = of(hold, measure);
    const max = sum(limits[measure], of(state.extra, measure));
    if (max === "unlimited") continue;
    const left = max - (settled[measure] ?? 0) - (held[measure] ?? 0);
    if (wanted !== undefined && wanted > left) refused.push(measure);
    if (expected === undefined) continue;
    if (left <= 0) refused.push(measure);
    else if (expected > 0) holds[measure] = Math.min(expected, left);
  }
  if (refused.length > 0 && !force) return { kind: "refused", refused };
  if (want) {
    addAll(settled, want);
    addAll(member.used, want);
    addAll(member.told, want);
  }
  if (hold) {
    addAll(held, holds);
    member.holds = holds;
  }
  return GRANTED;
}

/** The member as others see it. */
export function asSeen({ id, name, used, holds, until, run }: MemberEntry, now: number): Member {
  return { id, name, used, holds, isPresent: isPresent({ until }, now), ...(run && { run }) };
}

/** What the members used that are not listed any more. `members`: how many they are. */
export function departed(
  settled: Amounts,
  listed: readonly Pick<Member, "used">[],
  members: number,
): PoolRecord["departed"] {
  const used = amounts(settled);
  for (const member of listed) add(used, member.used, -1);
  return { members, used: { ...used } };
}
