import type { Reply } from "../../core/governor/decision.ts";
import type { LimitIdentity, Max } from "../../core/limits/boundary.ts";
import type { Amounts } from "../../pools/ledger/amounts.ts";
import type { Period } from "../../pools/ledger/period.ts";
import { type PoolQuestion, sum } from "../../pools/ledger/pool-state.ts";
import type { PoolRecord, Store } from "../../pools/ledger/store.ts";
import { fromUnits, maxFromUnits } from "../../pools/units.ts";
import { cannotBeDone } from "../command-error.ts";
import { inOrder } from "../measures.ts";
import { byId, findRecord, newest, recordName } from "./record-names.ts";

/** How much of one thing is used, and how much there is. */
export interface Use {
  used: number;
  /** What members expect to use in the turns that are running. */
  held: number;
  /** What the pool admits in all; `null` if its members bring limits of their own. */
  max: Max | null;
  /** What was allowed in addition. It is part of `max`. */
  extra: Max;
}

export interface MemberView {
  id: string;
  name: string;
  /** Does it still take part? */
  present: boolean;
  used: Record<string, number>;
  held: Record<string, number>;
}

export interface QuestionView {
  id: string;
  /** Who asks: the id of the member, and its name. */
  member: string;
  name: string;
  limit: string;
  /** What the limit is. `null`: the record does not say. */
  identity: LimitIdentity | null;
  used: number;
  max: Max;
  why: string | null;
  /** When it was asked, and until when it can be answered. */
  asked: string;
  until: string | null;
  open: boolean;
  reply: Reply | null;
}

/**
 * A pool as people see it, and as `--json` prints it. Cost is in US dollars, time in milliseconds, moments are ISO 8601.
 * Every field is always there.
 */
export interface PoolView {
  /** The name of the record: the id, and for a pool with a period which one. */
  record: string;
  id: string;
  period: { kind: Period; name: string } | null;
  /** How many members take part now. */
  agents: number;
  frozen: { at: string; why: string } | null;
  use: Record<string, Use>;
  members: MemberView[];
  questions: QuestionView[];
  /** The store's time. */
  now: string;
}

/** The pools of a store, by id and the newest first. Without `all`: not those of days, weeks and months before. */
export async function readPools(store: Store, all: boolean): Promise<PoolView[]> {
  const sorted = byId(await store.list());
  const shown = all ? sorted : newest(sorted);
  const records = await Promise.all(shown.map(({ record }) => store.read(record)));
  // One that is gone since was forgotten by the store.
  return records.filter((record) => record !== undefined).map(poolView);
}

/** The pool that a person means. */
export async function readPool(store: Store, wanted: string): Promise<PoolView> {
  const { record } = findRecord(wanted, await store.list());
  const found = await store.read(record);
  if (!found) throw cannotBeDone(`${record} is gone from the store.`);
  return poolView(found);
}

/** Makes the view of a record. */
function poolView(record: PoolRecord): PoolView {
  const { pool, settled, held, state, agents, members, now } = record;
  const { id, period } = recordName(pool);
  const { limits, extra, frozen, questions } = state;
  const measures = inOrder([settled, held, limits, extra].flatMap((part) => Object.keys(part)));
  const use = measures.map((measure): [string, Use] => {
    const most = limits[measure];
    return [
      measure,
      {
        used: fromUnits(measure, settled[measure] ?? 0),
        held: fromUnits(measure, held[measure] ?? 0),
        max: most === undefined ? null : maxFromUnits(measure, sum(most, extra[measure])),
        extra: maxFromUnits(measure, extra[measure] ?? 0),
      },
    ];
  });
  return {
    record: pool,
    id,
    period: period ?? null,
    agents,
    frozen: frozen ? { at: moment(frozen.at), why: frozen.why } : null,
    use: Object.fromEntries(use),
    members: members.map(({ id, name, isPresent, used, holds }) => ({
      id,
      name,
      present: isPresent,
      used: amountsOf(used),
      held: amountsOf(holds),
    })),
    questions: Object.values(questions)
      .sort((one, other) => one.asked - other.asked)
      .map((question) => questionView(question, now)),
    now: moment(now),
  };
}

// A question has the units of its limit already.
function questionView(question: PoolQuestion, now: number): QuestionView {
  const { id, member, name, limit, identity, used, max, why, asked, until, reply } = question;
  return {
    id,
    member,
    name,
    limit,
    identity: identity ?? null,
    used,
    max,
    why: why ?? null,
    asked: moment(asked),
    until: until === undefined ? null : moment(until),
    open: reply === undefined && (until === undefined || now < until),
    reply: reply ?? null,
  };
}

function amountsOf(amounts: Amounts): Record<string, number> {
  return Object.fromEntries(
    inOrder(Object.keys(amounts)).map((measure) => [measure, fromUnits(measure, amounts[measure] ?? 0)]),
  );
}

function moment(time: number): string {
  return new Date(time).toISOString();
}
