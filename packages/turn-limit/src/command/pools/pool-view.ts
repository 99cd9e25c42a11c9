import type { Max } from "../../core/limits/boundary.ts";
import type { Amounts } from "../../pools/ledger/amounts.ts";
import { type PoolQuestion, sum } from "../../pools/ledger/pool-state.ts";
import type { PoolRecord, Store } from "../../pools/ledger/store.ts";
import { fromUnits, maxFromUnits } from "../../pools/units.ts";
import { cannotBeDone } from "../command-error.ts";
import { inOrder } from "../measures.ts";
import { byId, findRecord, newest, recordName } from "./record-names.ts";

/**
 * A pool as people see it, and as `--json` prints it. Cost is in US dollars, time in milliseconds, moments are ISO 8601.
 * Every field is always there.
 */
export type PoolView = Readonly<ReturnType<typeof poolView>>;

/** How much of one thing is used, and how much there is. */
export type Use = Readonly<ReturnType<typeof useOf>>;

export type MemberView = PoolView["members"][number];

export type QuestionView = Readonly<ReturnType<typeof questionView>>;

/** So many records are read at once: of more, a store far away would not answer the last ones in time. */
const AT_ONCE = 200;

/** The pools of a store, by id and the newest first. Without `all`: not those of days, weeks and months before. */
export async function readPools(store: Store, all: boolean): Promise<PoolView[]> {
  const sorted = byId(await store.list());
  const shown = all ? sorted : newest(sorted);
  const pools: PoolView[] = [];
  for (let first = 0; first < shown.length; first += AT_ONCE) {
    const some = shown.slice(first, first + AT_ONCE);
    // One that is gone since was forgotten by the store.
    for (const record of await Promise.all(some.map(({ record }) => store.read(record))))
      if (record) pools.push(poolView(record));
  }
  return pools;
}

/** The pool that a person means. */
export async function readPool(store: Store, wanted: string): Promise<PoolView> {
  const { record } = findRecord(wanted, await store.list());
  const found = await store.read(record);
  if (!found) throw cannotBeDone(`${record} is gone from the store.`);
  return poolView(found);
}

function poolView({ pool, settled, held, state, agents, members, now }: PoolRecord) {
  const { id, period } = recordName(pool);
  const { limits, extra, frozen, questions } = state;
  const measures = inOrder([settled, held, limits, extra].flatMap((part) => Object.keys(part)));
  const use: Record<string, Use> = Object.fromEntries(
    measures.map((measure) => [
      measure,
      useOf(measure, settled[measure], held[measure], limits[measure], extra[measure]),
    ]),
  );
  return {
    /** The name of the record: the id, and for a pool with a period which one. */
    record: pool,
    id,
    period: period ?? null,
    /** How many members take part now. */
    agents,
    frozen: frozen ? { at: moment(frozen.at), why: frozen.why } : null,
    use,
    members: members.map(({ id, name, isPresent, used, holds }) => ({
      id,
      name,
      /** Does it still take part? */
      present: isPresent,
      used: amountsOf(used),
      held: amountsOf(holds),
    })),
    questions: Object.values(questions)
      .sort((one, other) => one.asked - other.asked)
      .map((question) => questionView(question, now)),
    /** The store's time. */
    now: moment(now),
  };
}

function useOf(measure: string, settled = 0, held = 0, max?: Max, extra: Max = 0) {
  return {
    used: fromUnits(measure, settled),
    /** What members expect to use in the turns that are running. */
    held: fromUnits(measure, held),
    /** What the pool admits in all; `null` if its members bring limits of their own. */
    max: max === undefined ? null : maxFromUnits(measure, sum(max, extra)),
    /** What was allowed in addition. It is part of `max`. */
    extra: maxFromUnits(measure, extra),
  };
}

// A question has the units of its limit already.
function questionView(question: PoolQuestion, now: number) {
  const { id, member, name, limit, identity, used, max, why, asked, until, reply } = question;
  return {
    id,
    /** Who asks: the id of the member, and its name. */
    member,
    name,
    limit,
    /** What the limit is. `null`: the record does not say. */
    identity: identity ?? null,
    used,
    max,
    why: why ?? null,
    /** When it was asked, and until when it can be answered. */
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
