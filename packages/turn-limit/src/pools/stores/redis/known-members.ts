import type { Max } from "../../../core/limits/boundary.ts";
import { type Amounts, of, sum } from "../../ledger/amounts.ts";
import { PERIOD_KEPT } from "../../ledger/rules.ts";
import type { Take, Taken } from "../../ledger/store.ts";
import type { FoundState } from "./changed-texts.ts";
import { setAmount, toWire } from "./wire.ts";

/** What this process knows of a member since its last request was granted. Of amounts it has one for each measure. */
interface Known {
  /** Where the script finds it. */
  field: string;
  name: string;
  incarnation: number;
  turn: number;
  /** What the pool allows, as the server has it. */
  found: FoundState;
  measures: readonly string[];
  /** What it used since TAKE wrote of it, what it said that it used, and what it holds. */
  since: readonly number[];
  told: readonly number[];
  holds: readonly number[];
  /** All that its last requests changed, as TAKE_KNOWN writes it. */
  text: string;
}

/** What becomes of a member if all that it asks for is granted. */
type Step = Pick<Known, "since" | "told" | "holds" | "text"> & {
  take: Take;
  before: Known;
  /** Of each measure how much may be settled and held before by all (`false`: any amount), what is settled, and what is held. */
  changes: (number | false)[];
};

/** The maximum number of members that are known. */
const MOST = 4_000;

/** What this process knows of members, so that most of their requests need not be decided by all of the rules. */
export class KnownMembers {
  readonly #known = new Map<string, Known>();

  /** These requests, all to one record, for TAKE_KNOWN; `undefined` if they are not that simple. */
  requests(takes: readonly Take[]): KnownRequests | undefined {
    const steps: Step[] = [];
    for (const take of takes) {
      const key = keyOf(take);
      const known = this.#known.get(key);
      // Nothing is known of it until it is answered.
      this.#known.delete(key);
      const step = known && stepOf(known, take);
      if (!step || (steps[0] && !areAlike(steps[0], step))) return undefined;
      steps.push(step);
    }
    return new KnownRequests(steps);
  }

  /** What TAKE said of a request. */
  learn(
    take: Take,
    measures: readonly string[],
    { kind, holds }: Pick<Taken, "kind" | "holds">,
    found: FoundState,
  ): void {
    if (kind !== "granted" || take.leaves || take.member.run) return;
    const { member, incarnation, turn, used, want } = take;
    const since = measures.map(() => 0);
    const told = measures.map((measure) => (of(used, measure) ?? 0) + (of(want, measure) ?? 0));
    const held = measures.map((measure) => of(holds, measure) ?? 0);
    const text = [turn, ...measures.flatMap((_, place) => [0, told[place], held[place]])].join(" ");
    this.#keep(take, {
      ...{ field: `m:${toWire(member.id)}`, name: member.name, incarnation, turn, found },
      ...{ measures, since, told, holds: held, text },
    });
  }

  /** What came of requests that TAKE_KNOWN has granted. */
  granted({ steps }: KnownRequests, { now, found, agents, totals }: GrantedReply): Taken[] {
    const results: Taken[] = new Array(steps.length);
    // What there was after the last of them, and so before each.
    const left = totals.slice();
    for (let n = steps.length - 1; n >= 0; n -= 1) {
      const { take, before, text, since, told, holds, changes } = steps[n] as Step;
      const { field, name, incarnation, measures } = before;
      const [settled, held, own] = [{}, {}, {}];
      for (let place = 0; place < measures.length; place += 1) {
        const measure = measures[place] as string;
        put(settled, measure, left[2 * place] as number);
        put(held, measure, left[2 * place + 1] as number);
        put(own, measure, holds[place] as number);
        (left[2 * place] as number) -= changes[3 * place + 1] as number;
        (left[2 * place + 1] as number) -= changes[3 * place + 2] as number;
      }
      const { turn } = take;
      this.#keep(take, {
        field,
        name,
        incarnation,
        turn,
        found,
        measures,
        since,
        told,
        holds,
        text,
      });
      const { state } = found;
      results[n] = {
        kind: "granted",
        refused: [],
        settled,
        held,
        holds: own,
        state,
        agents,
        incarnation,
        now,
      };
    }
    return results;
  }

  #keep(take: Take, known: Known): void {
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(keyOf(take), known);
  }
}

/** What TAKE_KNOWN says. `totals`: of each measure what is settled, and what is held. */
export interface GrantedReply {
  now: number;
  found: FoundState;
  agents: number;
  totals: number[];
}

/** Requests for TAKE_KNOWN. */
export class KnownRequests {
  readonly steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.steps = steps;
  }

  /** As the script reads them. `before`: when nobody waits for them any more. */
  toText(now: number | undefined, before: number | undefined): string {
    const { steps } = this;
    const [{ take, before: known }] = steps as readonly [Step];
    const { limits, extra } = known.found.rules;
    const { period } = take;
    let kept = 0;
    for (const { take } of steps) {
      if (take.keepFor !== undefined) kept = Math.max(kept, take.keepFor, take.lease);
    }
    const asked: (string | number | boolean)[] = [now ?? false, before ?? false, steps.length];
    asked.push(known.measures.length, take.limits ? false : limits, extra);
    asked.push(period?.from ?? false, period?.to ?? false, period ? period.to + PERIOD_KEPT : false, kept);
    for (const { before } of steps) asked.push(before.field);
    for (const { take, before, text, changes } of steps) {
      asked.push(before.text, before.incarnation, text, take.lease);
      for (const change of changes) asked.push(change);
    }
    return JSON.stringify(asked);
  }
}

// The script has one period, one order of measures and one text of limits for all.
function areAlike(one: Step, other: Step): boolean {
  const [{ take, before }, { take: otherTake, before: otherBefore }] = [one, other];
  const { rules } = before.found;
  return (
    (take.limits === undefined) === (otherTake.limits === undefined) &&
    take.period?.from === otherTake.period?.from &&
    take.period?.to === otherTake.period?.to &&
    rules.limits === otherBefore.found.rules.limits &&
    rules.extra === otherBefore.found.rules.extra &&
    before.measures.length === otherBefore.measures.length &&
    before.measures.every((measure, place) => measure === otherBefore.measures[place])
  );
}

/** What a request comes to that is granted as a whole; `undefined` if that is not so simple. */
function stepOf(before: Known, take: Take): Step | undefined {
  const { measures, found } = before;
  const { used, want, hold } = take;
  if (take.leaves || take.force || take.member.run || (!want && !hold)) return undefined;
  if (take.incarnation !== before.incarnation || take.member.name !== before.name) return undefined;
  // It is made again, or late, or the store has lost what it had answered.
  if (take.turn <= before.turn || take.answered > before.turn) return undefined;
  if (!(take.lease > 0)) return undefined;
  if (!areAmong(measures, used) || !areAmong(measures, want) || !areAmong(measures, hold)) return undefined;
  const limits = take.limits ?? found.head.limits;
  const { extra } = found.own;
  const since: number[] = [];
  const told: number[] = [];
  const holds: number[] = [];
  const changes: Step["changes"] = [];
  let text = String(take.turn);
  for (let place = 0; place < measures.length; place += 1) {
    const measure = measures[place] as string;
    const heldBefore = before.holds[place] as number;
    const wanted = of(want, measure) ?? 0;
    const expected = of(hold, measure);
    const usedNow = of(used, measure) ?? 0;
    const more = usedNow - (before.told[place] as number);
    // What is given back may not be there any more, and what is expected may be nothing.
    if (more < 0 || (expected !== undefined && expected <= 0)) return undefined;
    const max = isAsked(want, hold, measure) ? sumOf(of(limits, measure), of(extra, measure)) : "unlimited";
    const isLimited = max !== "unlimited";
    const holdsNow = hold ? (isLimited && expected) || 0 : heldBefore;
    const settled = more + wanted;
    const free = hold ? heldBefore : 0;
    const most = isLimited && max - more + free - Math.max(wanted, expected ?? 0);
    const sinceNow = (before.since[place] as number) + settled;
    const toldNow = usedNow + wanted;
    // Of others the server may know a bit less.
    if (!isExact(sinceNow) || !isExact(toldNow) || !isExact(holdsNow) || !isExact(most || 0))
      return undefined;
    changes.push(most, settled, holdsNow - heldBefore);
    since.push(sinceNow);
    told.push(toldNow);
    holds.push(holdsNow);
    text += ` ${sinceNow} ${toldNow} ${holdsNow}`;
  }
  return { take, before, text, since, told, holds, changes };
}

const isExact = Number.isSafeInteger;

// Only what is wanted or expected has to be covered.
function isAsked(want: Amounts | undefined, hold: Amounts | undefined, measure: string): boolean {
  return of(want, measure) !== undefined || of(hold, measure) !== undefined;
}

// Without a maximum there is none, also if more was allowed.
function sumOf(max: Max | undefined, extra: Max | undefined): Max {
  return max === undefined ? "unlimited" : sum(max, extra);
}

function areAmong(measures: readonly string[], amounts: Amounts | undefined): boolean {
  for (const measure in amounts) if (!measures.includes(measure)) return false;
  return true;
}

function put(amounts: Record<string, number>, measure: string, amount: number): void {
  if (amount !== 0) setAmount(amounts, measure, amount);
}

function keyOf({ pool, member }: Take): string {
  return `${pool}\n${member.id}`;
}
