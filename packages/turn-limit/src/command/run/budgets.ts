import type { LimitSettings } from "../../core/governor/settings.ts";
import type { Max } from "../../core/limits/boundary.ts";
import type { Period } from "../../pools/ledger/period.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { createPool, type Pool } from "../../pools/pool.ts";
import { maxFromUnits } from "../../pools/units.ts";
import { wrongInput } from "../command-error.ts";
import { byId, newest, type RecordName } from "../pools/record-names.ts";
import { storeProblem } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { needsPrices, RUN_MEASURES, type RunMeasure, type WantedLimit } from "../wanted-limits.ts";
import type { Notices } from "./notices.ts";
import type { RunOptions } from "./options.ts";

/** What a run is held to: limits of its own, and pools. */
export interface Budgets {
  readonly settings: LimitSettings;
  readonly pools: readonly Pool[];
  /** Is there a limit that needs prices? */
  readonly limitsCost: boolean;
  /** A pool in which questions can be asked: one that the run draws from, else one without limits. */
  poolForQuestions(): Promise<Pool>;
  close(): Promise<void>;
}

/** The pool in which runs ask that draw from none. */
const QUESTIONS = "runs";

/** How long the longest question stays open. */
function holdOf({ hold, profile }: RunOptions): number {
  return hold ?? profile?.waitsFor ?? 0;
}

/** Opens the pools of a run. The store is opened when it is needed, and created if it does not exist. */
export async function openBudgets(
  options: RunOptions,
  around: Surroundings,
  notices: Notices,
): Promise<Budgets> {
  const askFor = Math.max(1, holdOf(options));
  let opening: Promise<Store> | undefined;
  const open = () => {
    opening ??= around.makeStore(options.store);
    return opening;
  };
  const named = async (id: string): Promise<WantedPool> => {
    const [given] = wantedPools(options);
    if (given) return withLimitsOfOthers(given, await open());
    return joinedPool(id, await open(), (measures) => {
      if (measures.length > 0)
        notices.tell(`The pool ${id} limits ${measures.join(", ")}, which cannot be counted here.`);
    });
  };
  const close = async () => (await opening?.catch(() => undefined))?.close();
  try {
    const wanted = options.pool === undefined ? wantedPools(options) : [await named(options.pool)];
    const pools: Pool[] = [];
    for (const one of wanted) {
      const pool = poolOf(one, await open(), options, askFor);
      // Fails before the agent is started if the store cannot be used.
      await pool.read();
      pools.push(pool);
    }
    return {
      settings: ownLimits(options),
      pools,
      limitsCost: limitsCost(options, wanted),
      poolForQuestions: async () => pools[0] ?? createPool({ id: QUESTIONS, store: await open(), askFor }),
      close,
    };
  } catch (error) {
    await close();
    throw storeProblem(options.store, error);
  }
}

function limitsCost({ limits }: RunOptions, pools: readonly WantedPool[]): boolean {
  const all = [maximaOf(limits), ...pools.map(({ limits }) => limits)];
  return RUN_MEASURES.filter(needsPrices).some((measure) =>
    all.some((maxima) => (maxima[measure] ?? "unlimited") !== "unlimited"),
  );
}

type Maxima = Readonly<Partial<Record<RunMeasure, Max>>>;

/** A budget that this run draws from, together with others. */
interface WantedPool {
  readonly id: string;
  readonly per?: Period;
  readonly limits: Maxima;
  /** What its limits are known by, if not by the pool. */
  readonly identity?: { readonly per: Period };
}

/** The limits of this run by itself. */
function ownLimits(options: RunOptions): LimitSettings {
  const own = options.pool === undefined ? options.limits.filter(({ per }) => per === undefined) : [];
  // Turns would have a limit by default.
  return { turns: "unlimited", ...settingsOf(maximaOf(own), options) };
}

/** The pools that were asked for by name, or by a period. */
function wantedPools({ limits, pool }: RunOptions): WantedPool[] {
  const periods = [...new Set(limits.map(({ per }) => per))];
  return periods.flatMap((per): WantedPool[] => {
    const wanted = { ...(per && { per }), limits: maximaOf(limits.filter((limit) => limit.per === per)) };
    if (pool !== undefined) return [{ id: pool, ...wanted }];
    return per ? [{ id: `runs per ${per}`, ...wanted, identity: { per } }] : [];
  });
}

/** A pool whose limits were said by others. What it limits that cannot be counted here is told to `ignored`. */
async function joinedPool(
  id: string,
  store: Store,
  ignored: (measures: readonly string[]) => void,
): Promise<WantedPool> {
  const records = await recordsOf(id, store);
  for (const { record, period } of records) {
    const { limits, others } = await saidLimits(record, store);
    if (Object.keys(limits).length === 0) continue;
    ignored(others);
    return { id, ...(period && { per: period.kind }), limits };
  }
  const why = records.length === 0 ? "is not in the store yet" : "has no limits that can be joined";
  throw wrongInput(
    `The pool ${JSON.stringify(id)} from --pool ${why}. Give it a limit, such as --max-cost '$20'.`,
  );
}

/** The same pool with the limits, too, that others gave it: they hold until they are given anew. */
async function withLimitsOfOthers(wanted: WantedPool, store: Store): Promise<WantedPool> {
  const records = await recordsOf(wanted.id, store);
  const known = records.find(({ period }) => period?.kind === wanted.per);
  if (!known) return wanted;
  const { limits } = await saidLimits(known.record, store);
  return { ...wanted, limits: { ...limits, ...wanted.limits } };
}

async function recordsOf(id: string, store: Store): Promise<RecordName[]> {
  return newest(byId(await store.list())).filter((record) => record.id === id);
}

/** What a pool was said to limit: what can be counted here, and the names of others. */
async function saidLimits(record: string, store: Store): Promise<{ limits: Maxima; others: string[] }> {
  const said = Object.entries((await store.read(record))?.state.limits ?? {});
  const limited = said.filter(([, max]) => max !== "unlimited");
  const countable = limited.filter(([measure]) => isCountable(measure));
  return {
    limits: Object.fromEntries(countable.map(([measure, max]) => [measure, maxFromUnits(measure, max)])),
    others: limited.flatMap(([measure]) => (isCountable(measure) ? [] : [measure])),
  };
}

function isCountable(measure: string): boolean {
  return RUN_MEASURES.some((known) => known === measure);
}

/** The pool in its store. It counts everything, so that whoever gives another limit later finds out what was used. */
function poolOf({ limits, ...wanted }: WantedPool, store: Store, options: RunOptions, askFor: number): Pool {
  const all = Object.fromEntries(RUN_MEASURES.map((measure) => [measure, limits[measure] ?? "unlimited"]));
  const { onExhausted } = policyOf(options);
  return createPool({
    ...settingsOf(all, { ...options, wrapUp: 0 }),
    ...wanted,
    store,
    askFor,
    unreachable: onExhausted === "ask" ? "ask" : "stop",
  });
}

function settingsOf(maxima: Maxima, options: RunOptions): Record<string, { max: Max }> {
  const { wrapUp, unpriced } = options;
  const more: Partial<Record<string, object>> = {
    turns: wrapUp > 0 ? { grace: wrapUp } : {},
    cost: { unpriced },
  };
  const settings = Object.entries(maxima).map(([measure, max]) => [
    measure,
    { max, ...policyOf(options), ...more[measure] },
  ]);
  return Object.fromEntries(settings);
}

const POLICIES = { ask: "ask", stop: "stop", answer: "synthesize" } as const;

function policyOf({ atLimit, nobody }: RunOptions) {
  return { onExhausted: POLICIES[atLimit], headless: POLICIES[nobody] };
}

function maximaOf(limits: readonly WantedLimit[]): Maxima {
  return Object.fromEntries(limits.map(({ measure, max }) => [measure, max]));
}
