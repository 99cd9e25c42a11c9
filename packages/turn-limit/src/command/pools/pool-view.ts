import type { Max, Waits } from "../../core/limits/boundary.ts";
import { type Amounts, of, sum } from "../../pools/ledger/amounts.ts";
import { isOpen, isRunRecord, runIdOf, type SeenRun, seenRun } from "../../pools/ledger/listed-run.ts";
import type { PoolQuestion, PoolState } from "../../pools/ledger/pool-state.ts";
import { isOfPlan, isReadingName, windowStanding } from "../../pools/ledger/readings.ts";
import type { PoolRecord, Store } from "../../pools/ledger/store.ts";
import { fromUnits, maxFromUnits } from "../../pools/units.ts";
import { cannotBeDone } from "../command-error.ts";
import { inOrder } from "../pool-measures.ts";
import { isBeginningOf } from "../run-ids.ts";
import { byId, findRecord, newest, recordName } from "./record-names.ts";
import { startsOver } from "./starts-over.ts";

/**
 * A pool as people see it, and as `--json` prints it. Cost is in US dollars, time in milliseconds, moments are ISO 8601.
 * Every field is always there.
 */
export type PoolView = Readonly<ReturnType<typeof poolView>>;

/** How much of one thing is used, and how much there is. */
export type Use = Readonly<ReturnType<typeof useOf>>;

export type MemberView = PoolView["members"][number];

export type QuestionView = Readonly<ReturnType<typeof questionView>>;

/** How many records to read at once. With more, a store far away would not answer for the last ones in time. */
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
  return all ? pools : pools.filter((pool) => !isOver(pool));
}

/** The budget of one prompt of Pi's, as Pi names it: for its sub-agents. It stays for a day. */
const OF_A_PROMPT = /^prompt \S+ \d+$/;

/** Has the prompt ended that it was the budget of? */
function isOver({ id, agents, questions }: PoolView): boolean {
  return OF_A_PROMPT.test(id) && agents === 0 && !questions.some(({ open }) => open);
}

/** The runs that are listed in a store, those that were active last first. */
export async function readRuns(store: Store): Promise<PoolView[]> {
  const runs = (await store.runs()).map(poolView).filter(({ run }) => run !== null);
  return runs.sort((one, other) => ((one.run?.active ?? "") < (other.run?.active ?? "") ? 1 : -1));
}

/** The pool or the run that a person means. */
export async function readPool(store: Store, wanted: string): Promise<PoolView> {
  const run = await findRun(store, wanted);
  if (run) return run;
  const { record } = findRecord(wanted, await store.list());
  const found = await store.read(record);
  if (!found) throw cannotBeDone(`${record} is gone from the store.`);
  return poolView(found);
}

/** The pool or the run of exactly this record, whatever others are called. */
export async function readRecord(store: Store, record: string): Promise<PoolView> {
  const found = await store.read(record);
  if (found) return poolView(found);
  throw isRunRecord(record)
    ? cannotBeDone(`The run ${runIdOf(record)} has ended.`)
    : cannotBeDone(`${JSON.stringify(record)} is not in the store.`);
}

// By its record, its id, how that begins, or its name.
async function findRun(store: Store, wanted: string): Promise<PoolView | undefined> {
  const runs = await readRuns(store);
  const exact = runs.find(({ record, id }) => record === wanted || id === wanted);
  if (exact) return exact;
  const found = runs.filter(({ id, run }) => run?.name === wanted || isBeginningOf(id, wanted));
  if (found.length > 1)
    throw cannotBeDone(
      `${wanted} may be one of ${found.length} runs: ${found.map(({ id }) => id).join(", ")}.`,
    );
  if (isRunRecord(wanted) && found.length === 0) throw cannotBeDone(`The run ${runIdOf(wanted)} has ended.`);
  return found[0];
}

function poolView(found: PoolRecord) {
  const { pool, settled, held, state, agents, members, now } = found;
  const run = seenRun(found);
  const named = isRunRecord(pool) ? { record: pool, id: runIdOf(pool) } : recordName(pool);
  const { id, period } = named;
  const ends = startsOver(named, state.zone, now);
  const { limits, extra, frozen, questions } = state;
  const measures = inOrder(
    [settled, held, limits, extra]
      .flatMap((part) => Object.keys(part))
      .filter((name) => !isReadingName(name)),
  );
  const use: Record<string, Use> = Object.fromEntries(
    measures.map((measure) => [
      measure,
      isOfPlan(measure)
        ? useOfWindow(measure, state, now)
        : useOf(measure, settled[measure], held[measure], limits[measure], extra[measure]),
    ]),
  );
  return {
    /** The name of the record: the id, and for a pool with a period which one. */
    record: pool,
    id,
    period: period ?? null,
    /** When it starts over. `null`: it has no period, or that is over. */
    startsOver: ends === undefined ? null : moment(ends),
    /** How many members take part now. */
    agents,
    frozen: frozen ? { at: moment(frozen.at), why: frozen.why, where: frozen.where ?? null } : null,
    use: run ? useOfRun(run) : use,
    /** What a run says of itself. `null`: it is a pool. */
    run: run ? runView(run) : null,
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

function runView({ name, agent, folder, model, host, pid, state, since, active, stopped }: SeenRun) {
  return {
    name,
    agent,
    folder: folder ?? null,
    host: host ?? null,
    pid: pid ?? null,
    model: model ?? null,
    /** `working`, `asking`, `waiting` for a person, `idle`, or `parked`. */
    state,
    /** When it began, and when it last did something. */
    since: moment(since),
    active: moment(active),
    /** When it was last told to stop. */
    stopped: stopped ? { at: moment(stopped.at), why: stopped.why } : null,
  };
}

// Its limits by what they are called, and what has no limit of it.
function useOfRun({ limits, used }: SeenRun): Record<string, Use> {
  const own = limits.map(({ limit, used, max }) => [limit, { used, held: 0, max, extra: 0 }] as const);
  const others = Object.entries(used).filter(([measure]) => !limits.some(({ limit }) => limit === measure));
  const unlimited = others.map(
    ([measure, amount]) => [measure, { used: amount, held: 0, max: null, extra: 0 }] as const,
  );
  return Object.fromEntries([...own, ...unlimited]);
}

/**
 * What is known of its use. That a run used nothing of what it does not limit may mean that it is not known: a gateway
 * sees no tool calls, and a model may have no price.
 */
export function knownUse({ use, run }: Pick<PoolView, "use" | "run">): [measure: string, use: Use][] {
  return Object.entries(use).filter(([, { used, max }]) => run === null || used > 0 || max !== null);
}

/** What a run used, by measure; `null` where by the same rule it is not known. */
export function knownAmounts({
  limits,
  used,
}: Pick<SeenRun, "limits" | "used">): Record<string, number | null> {
  const isKnown = (measure: string, amount: number) =>
    amount > 0 || limits.some(({ limit }) => limit === measure);
  return Object.fromEntries(
    Object.entries(used).map(([measure, amount]) => [measure, isKnown(measure, amount) ? amount : null]),
  );
}

function useOf(
  measure: string,
  settled = 0,
  held = 0,
  max?: Max,
  extra: Max = 0,
): { used: number; held: number; max: Max | null; extra: Max } {
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

// Of several subscriptions that of which least is left.
function useOfWindow(measure: string, state: PoolState, now: number): Use {
  const max = of(state.limits, measure);
  const standing = windowStanding(state, { measure, max: max ?? "unlimited" }, now);
  const extra = sum(of(state.extra, measure), of(state.extra, standing.name ?? ""));
  return useOf(measure, standing.used, 0, max, extra);
}

// A question has the units of its limit already.
function questionView(question: PoolQuestion, now: number) {
  const { id, member, name, limit, identity, used, max, round, why, waits, asked, until, reply, replied } =
    question;
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
    /** How much a yes allows. */
    round: round ?? max,
    why: why ?? null,
    /** Does the run go on by itself, and when, as far as that is known? */
    waits: waits ? { until: waits.until === undefined ? null : moment(waits.until) } : null,
    /** When it was asked, and until when it can be answered. */
    asked: moment(asked),
    until: until === undefined ? null : moment(until),
    open: isOpen(question, now),
    reply: reply ?? null,
    /** Where it was answered, as far as that is known. */
    where: replied?.where ?? null,
  };
}

/** The limit that a question waits for, as it is put into words. */
export function waitsOf({ waits }: QuestionView): { waits?: Waits } {
  if (!waits) return {};
  return { waits: waits.until === null ? {} : { until: Date.parse(waits.until) } };
}

function amountsOf(amounts: Amounts): Record<string, number> {
  return Object.fromEntries(
    inOrder(Object.keys(amounts)).map((measure) => [measure, fromUnits(measure, amounts[measure] ?? 0)]),
  );
}

function moment(time: number): string {
  return new Date(time).toISOString();
}
