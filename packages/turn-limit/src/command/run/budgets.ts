import type { LimitSettings } from "../../core/governor/settings.ts";
import type { Period } from "../../pools/ledger/period.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { managedPool } from "../../pools/managed-pool.ts";
import { SUBSCRIPTIONS } from "../../pools/plan-windows.ts";
import { createPool, type Pool } from "../../pools/pool.ts";
import { maxFromUnits } from "../../pools/units.ts";
import { wrongInput } from "../command-error.ts";
import { byPeriod, type LimitsOfPeriod, type Maxima, settingsOf } from "../pooled-limits.ts";
import { byId, newest } from "../pools/record-names.ts";
import { requireUsable, storeProblem } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { RUN_MEASURES } from "../wanted-limits.ts";
import type { Notices } from "./notices.ts";
import type { RunOptions } from "./options.ts";
import { isOfOuterRun, OUTER_RUN, type OuterRun, outerRun } from "./outer-run.ts";

/** What a run is held to: limits of its own, and pools. */
export type Budgets = Awaited<ReturnType<typeof openBudgets>>;

/** The pool in which runs ask that draw from none. */
const QUESTIONS = "runs";

/** Opens the pools of a run. The store is opened when it is needed, and created if it does not exist. */
export async function openBudgets(options: RunOptions, around: Surroundings, notices: Notices) {
  const { pool: id, limits, hold, profile, asksInDialog } = options;
  // As long as the longest question stays open.
  const askFor = asksInDialog ? "forever" : Math.max(1, hold ?? profile?.waitsFor ?? 0);
  let opening: Promise<Store> | undefined;
  const open = () => {
    opening ??= around.openStore(options.store, true);
    return opening;
  };
  const close = async () => (await opening?.catch(() => undefined))?.close();
  try {
    // Better known now than when nobody answers.
    if (options.unanswered === "park") await requireUsable(await open());
    const periods = byPeriod(limits);
    const wanted =
      id === undefined ? sharedByRuns(periods) : [await namedPool(id, periods[0], await open(), notices)];
    const outer = outerRun(around.env);
    const pools: Pool[] = [];
    const poolsOfOuter: Pool[] = [];
    for (const one of wanted) {
      const isOfOuter = isOfOuterRun(one, options.store, outer);
      const pool = poolOf(one, await open(), options, askFor);
      // What a person says here of a pool by its name, they say for everyone.
      if (id !== undefined && periods[0]) await pool.redefine();
      // Fails before the agent is started if the store cannot be used.
      await pool.read();
      (isOfOuter ? poolsOfOuter : pools).push(pool);
    }
    const plan = options.plan.length > 0 ? planOf(options, await open(), askFor) : undefined;
    await plan?.read();
    if (plan) pools.push(plan);
    const own = (id === undefined ? periods.find(({ per }) => per === undefined)?.maxima : undefined) ?? {};
    return {
      settings: { ...ownLimits(own, options), tell: options.tell },
      pools,
      /** The gateway of the run outside, and the pools that it draws from, too: what is sent there counts there. */
      outside: outer && { origin: outer.origin, pools: poolsOfOuter },
      /** What a run inside this one is told. `origin`: the address of the gateway, without a path. */
      forInnerRuns: (origin: string): Record<string, string> => ({
        [OUTER_RUN]: JSON.stringify({
          origin,
          store: options.store,
          pools: wanted.map(({ id, maxima }) => ({ id, maxima })),
        } satisfies OuterRun),
      }),
      /** The limits of both. */
      maxima: [own, ...wanted.map(({ maxima }) => maxima)],
      /** The store of the run, opened when it is needed: where it is listed, and parked. */
      openStore: open,
      /** A pool in which questions can be asked: one that the run draws from, else one without limits. */
      poolForQuestions: async () => pools[0] ?? createPool({ id: QUESTIONS, store: await open(), askFor }),
      close,
    };
  } catch (error) {
    await close();
    throw storeProblem(options.store, error);
  }
}

/** The limits of the run by itself. */
function ownLimits(maxima: Maxima, options: RunOptions): LimitSettings {
  const { wrapUp, unpriced, repeats } = options;
  const policy = policyOf(options);
  const settings: ReturnType<typeof settingsOf> = {
    ...extended(settingsOf({ maxima }, policy, unpriced), options.limits),
    ...(repeats !== undefined && { repeats: { max: repeats, ...policy } }),
  };
  // Turns would have a limit by default.
  if (!settings.turns) return { ...settings, turns: "unlimited" };
  return wrapUp > 0 ? { ...settings, turns: { ...settings.turns, grace: wrapUp } } : settings;
}

/** The settings with how often each limit is extended, and by how much. */
function extended<Settings extends Record<string, object>>(
  settings: Settings,
  limits: RunOptions["limits"],
): Settings {
  const own = limits.filter(({ per, extend }) => per === undefined && extend !== undefined);
  const added = own.map(({ measure, extend, extendBy = 0 }) => [
    measure,
    { ...settings[measure], extend, extendBy },
  ]);
  return { ...settings, ...Object.fromEntries(added) };
}

/** A budget that this run draws from, together with others. */
interface WantedPool extends LimitsOfPeriod {
  readonly id: string;
  /** What its limits are known by, if not by the pool. */
  readonly identity?: { readonly per: Period };
}

/** The pools of all runs that have a limit for a period. */
function sharedByRuns(periods: readonly LimitsOfPeriod[]): WantedPool[] {
  return periods.flatMap(({ per, ...limits }) =>
    per ? [{ id: `runs per ${per}`, per, ...limits, identity: { per } }] : [],
  );
}

/**
 * The pool that a person named. Limits that others gave it hold until they are given anew. If none is given, they are the
 * only ones, and some of them may not be countable here.
 */
async function namedPool(
  id: string,
  given: LimitsOfPeriod | undefined,
  store: Store,
  notices: Notices,
): Promise<WantedPool> {
  const records = newest(byId(await store.list())).filter((record) => record.id === id);
  if (given) {
    const known = records.find(({ period }) => period?.kind === given.per);
    const { maxima } = await limitsOf(known?.record, store);
    return { id, ...given, maxima: { ...maxima, ...given.maxima } };
  }
  for (const { record, period } of records) {
    const { maxima, others } = await limitsOf(record, store);
    if (Object.keys(maxima).length === 0) continue;
    if (others.length > 0)
      notices.tell(`The pool ${id} limits ${others.join(", ")}, which cannot be counted here.`);
    return { id, ...(period && { per: period.kind }), maxima };
  }
  const why = records.length === 0 ? "is not in the store yet" : "has no limits that can be joined";
  throw wrongInput(
    `The pool ${JSON.stringify(id)} from --pool ${why}. Give it a limit, such as --max-cost '$20'.`,
  );
}

/** What a pool limits: what can be counted here, and the names of others. */
async function limitsOf(
  record: string | undefined,
  store: Store,
): Promise<{ maxima: Maxima; others: string[] }> {
  const limits = (record && (await store.read(record))?.state.limits) || {};
  const limited = Object.entries(limits).filter(([, max]) => max !== "unlimited");
  const isCountable = (measure: string) => RUN_MEASURES.some((known) => known === measure);
  const countable = limited.filter(([measure]) => isCountable(measure));
  return {
    maxima: Object.fromEntries(countable.map(([measure, max]) => [measure, maxFromUnits(measure, max)])),
    others: limited.flatMap(([measure]) => (isCountable(measure) ? [] : [measure])),
  };
}

/**
 * The pool in its store. It counts everything, so that a limit that is given later covers what was used before. Where runs
 * only have a period in common, each is held to what was said for it.
 */
function poolOf(
  { maxima, waits = [], ...wanted }: WantedPool,
  store: Store,
  options: RunOptions,
  askFor: number | "forever",
): Pool {
  const all = Object.fromEntries(RUN_MEASURES.map((measure) => [measure, maxima[measure] ?? "unlimited"]));
  const policy = policyOf(options);
  const make = options.pool === undefined ? managedPool : createPool;
  return make({
    ...settingsOf({ maxima: all, waits }, policy, options.unpriced),
    ...wanted,
    store,
    askFor,
    unreachable: policy.onExhausted === "ask" ? "ask" : "stop",
  });
}

const SUBSCRIPTION_OF: Readonly<Record<string, string>> = { "claude-code": "anthropic", codex: "openai" };

function planOf(options: RunOptions, store: Store, askFor: number | "forever"): Pool {
  const { plan, profile } = options;
  const policy = policyOf(options);
  const waiting = { onExhausted: "wait", headless: "stop" } as const;
  const subscription = SUBSCRIPTION_OF[profile?.id ?? ""];
  return managedPool({
    id: SUBSCRIPTIONS,
    plan: Object.fromEntries(
      plan.map(({ window, max, waits }) => [window, { max, ...(waits ? waiting : policy) }]),
    ),
    ...(subscription !== undefined && { subscription }),
    identity: {},
    store,
    askFor,
    unreachable: policy.onExhausted === "ask" ? "ask" : "stop",
  });
}

const POLICIES = { ask: "ask", stop: "stop", answer: "synthesize", park: "stop" } as const;

function policyOf({ atLimit, unanswered }: RunOptions) {
  return { onExhausted: POLICIES[atLimit], headless: POLICIES[unanswered] };
}
