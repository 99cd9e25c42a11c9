import type { Store } from "turn-limit";
import { joinPool, type ManagedPool, managedPool } from "../core.ts";
import { nameWithPeriod, type PeriodLimit } from "../limits/periods.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { WAIT } from "../limits/setting.ts";
import type { HandedPeriod, HandedPrompt } from "./handed-down.ts";
import type { DrawnPeriod } from "./period-pools.ts";

/** How long an agent may be silent before what it holds counts as used. */
const LEASE = 10_000;
const DAY = 86_400_000;

/** The pools of the prompts above, with the policies of this session. */
export function promptPools(
  prompts: readonly HandedPrompt[],
  values: LimitValues,
  store: Store,
): ManagedPool[] {
  return prompts.map(({ pool, isOpen, tokens, cost, time }) => {
    // How much an open pool admits, its owner says.
    const byOwner = isOpen && { max: "unlimited" as const };
    const limits = {
      tokens: { ...tokens, ...policiesOf("tokens", values), ...byOwner },
      cost: { ...cost, ...policiesOf("cost", values), ...byOwner },
      ...(time && { time: { ...time, ...policiesOf("time", values), ...byOwner } }),
    };
    const options = { id: pool, lease: LEASE, store, ...limits };
    return isOpen ? joinPool(options) : managedPool({ ...options, keepFor: DAY });
  });
}

/** A session's own limits, without those that are no lower than what the prompts above have: they would never be reached. */
export function ownBeside(prompts: readonly HandedPrompt[], values: LimitValues): LimitValues {
  const { tokens, cost, time } = values;
  const own = (kind: "tokens" | "cost" | "time") => {
    const handed = lowest(prompts.map((prompt) => prompt[kind]?.max));
    const { max } = values[kind];
    return Number(max) < handed ? max : "unlimited";
  };
  return {
    ...values,
    tokens: { ...tokens, max: own("tokens") },
    cost: { ...cost, max: own("cost") },
    time: { ...time, max: own("time") },
  };
}

/**
 * The limits for a period, a session's own and those that were handed down: of two for the same budget, the lower one. It
 * may be one of the sessions above that goes on here: then it is the same budget.
 */
export function periodsBeside(
  periods: readonly HandedPeriod[],
  own: readonly PeriodLimit[],
  values: LimitValues,
  session: string,
): DrawnPeriod[] {
  const handed = periods.map((period) => drawnPeriod(period, values, session));
  const same = (limit: DrawnPeriod) => handed.filter(({ name }) => name === limit.name);
  // What another session admits is drawn from beside this limit, which has an effect only if it is lower.
  const hasEffect = ({ kind, max }: PeriodLimit) =>
    Number(max) < lowest(handed.filter((limit) => limit.above && limit.kind === kind).map(({ max }) => max));
  const needed = own.filter((limit) => limit.per !== "session" || same(limit).length > 0 || hasEffect(limit));
  const lower = needed.map((limit) => ({
    ...limit,
    max: Math.min(Number(limit.max), lowest(same(limit).map(({ max }) => max))),
  }));
  return [...handed.filter(({ name }) => !lower.some((limit) => limit.name === name)), ...lower];
}

function drawnPeriod(period: HandedPeriod, values: LimitValues, here: string): DrawnPeriod {
  const { kind, per, max, session = here, waits, ...options } = period;
  const name = nameWithPeriod(kind, per);
  return {
    ...{ name, kind, per, max },
    options: { ...policiesOf(kind, values), ...(waits && { onExhausted: WAIT }), ...options },
    ...(session !== here && { name: `${name} of ${session}`, above: session }),
  };
}

/** The limit as the sessions below get it. */
export function handedPeriod({ kind, per, max, options, above }: DrawnPeriod, here: string): HandedPeriod {
  const { onExhausted, headless: _alone, ...counting } = options;
  return {
    kind,
    per,
    max: Number(max),
    ...(per === "session" && { session: above ?? here }),
    ...(onExhausted === WAIT && { waits: true }),
    ...counting,
  };
}

function policiesOf<Kind extends HandedPeriod["kind"]>(
  kind: Kind,
  values: LimitValues,
): Pick<LimitValues[Kind], "onExhausted" | "headless"> {
  const { onExhausted, headless } = values[kind];
  return { onExhausted, headless };
}

// "unlimited" is not among the numbers.
function lowest(maxima: readonly unknown[]): number {
  return Math.min(...maxima.filter((max) => typeof max === "number"));
}
