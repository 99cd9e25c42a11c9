import {
  amount,
  anyFunction,
  type Check,
  check,
  isPlainObject,
  object,
  oneOf,
  optional,
  record,
  text,
} from "../core/checks.ts";
import { InvalidLimit, unknownSetting } from "../core/errors/invalid-limit.ts";
import type { LimitIdentity, Max } from "../core/limits/boundary.ts";
import { KINDS, type KindName, type LastingSetting, PLAN } from "../core/limits/kinds.ts";
import { requireNoExtension } from "../core/limits/policy.ts";
import { type Countable, MEASURES } from "../core/measures/measures.ts";
import { LONGEST_TIMER } from "../run/clock.ts";
import { type Period, requirePeriod, requireZone } from "./ledger/period.ts";
import type { Store } from "./ledger/store.ts";

/** Those of single tools have their names, and repeats are a pattern in the calls of one run, not an amount. */
const APART = ["tools", "repeats"] as const;

/** A kind of limit that a pool can have: an amount that is measured over many runs. */
export type Pooled = Exclude<KindName, (typeof APART)[number]>;

export const POOLED = Object.keys(KINDS).filter((name) => !APART.some((apart) => apart === name)) as Pooled[];

/** What becomes of runs when the store of a pool cannot be reached. */
export type Unreachable = "stop" | "ask" | "local";

/** How much of a window of a subscription may be used, in per cent, and what is done then. */
export type PlanSetting =
  LastingSetting<"cost"> extends infer S ? (S extends object ? Omit<S, "unpriced" | "reserve"> : S) : never;

/** What a pool is made from. */
export type PoolOptions = {
  readonly [Name in Pooled]?: LastingSetting<Name> | undefined;
} & {
  /** Its name: pools with the same name in the same store are the same pool. */
  readonly id: string;
  /** Calls of single tools, by their names. */
  readonly tools?: Readonly<Record<string, LastingSetting<"tools">>> | undefined;
  /** Windows of a subscription, by their lengths, in per cent: `{ "5h": 80, "7d": 50 }`. */
  readonly plan?: Readonly<Record<string, PlanSetting>> | undefined;
  /** Whose subscription that is: `anthropic` or `openai`. Default: any, and of several the one of which most is used. */
  readonly subscription?: string | undefined;
  /** It starts over with each calendar day, week (from Monday) or month. Default: never. */
  readonly per?: Period | undefined;
  /** The time zone of that calendar. Default: the one that is recorded with the pool, at first the machine's. */
  readonly zone?: string | undefined;
  /** Where it is kept. Default: in the memory of this process. */
  readonly store?: Store | undefined;
  /**
   * What an answer is expected to take until it is known, in tokens, US dollars and milliseconds. Default: what the
   * member's recent answers took on average.
   */
  readonly estimate?: { readonly [Name in Exclude<Pooled, Countable>]?: number | undefined } | undefined;
  /**
   * How many milliseconds a member may be silent before what it holds counts as used. Members at work speak up three
   * times as often. Default: a minute.
   */
  readonly lease?: number | undefined;
  /**
   * What becomes of runs when the store cannot be reached. Default `stop`.
   *
   * - `stop`: no turn and no call begins
   * - `ask`: a person is asked whether to go on as with `local`; where nobody can be asked, `stop`
   * - `local`: each run goes on with the pool's limits for itself, and a warning
   */
  readonly unreachable?: Unreachable | undefined;
  /**
   * How many milliseconds a question to whoever watches the pool stays open; no reply in time is a no. `"forever"`: until
   * it is answered. Default: five minutes.
   */
  readonly askFor?: number | "forever" | undefined;
  /**
   * How many milliseconds go by between two looks at the store, of whoever watches it, asks, or waits for room. Default:
   * half a second.
   */
  readonly lookEvery?: number | undefined;
  /**
   * How many milliseconds its record is kept after its last use, and at least for a lease. Default: what is recorded with
   * the pool, at first for ever. With `per`, a record is kept for a month after its period.
   */
  readonly keepFor?: number | undefined;
  /** What its limits are called. Default: `cost of pool ID`. */
  readonly nameOf?: ((limit: string) => string) | undefined;
  /**
   * What its limits are known by, if not by the pool's id: `cost per session` instead of `cost of pool ID`.
   *
   * @internal
   */
  readonly identity?: PoolIdentity | undefined;
};

/** What the limits of a pool are known by. */
export type PoolIdentity = Pick<LimitIdentity, "pool" | "per">;

const STORE = ["take", "change", "read", "look", "list", "now", "close"] satisfies (keyof Store)[];
const isStore = check<Store>(
  (value) =>
    STORE.every((method) => typeof (value as Record<string, unknown> | null)?.[method] === "function"),
  "a store, such as memoryStore()",
);
const MEASURED = POOLED.filter((name) => !MEASURES[KINDS[name].measure].oneByOne);
const requireEstimate = optional(
  object(Object.fromEntries(MEASURED.map((name) => [name, optional(amount, undefined)]))),
  {},
);
const requirePlan = optional(record(PLAN.checkOfPeriod), {});
const requireWindow = check<string>(
  (value) => typeof value === "string" && /^[0-9]+[mhd]$/.test(value),
  "a window such as 5h or 7d",
);
const KNOWN = [
  "id",
  ...POOLED,
  "tools",
  "plan",
  "subscription",
  "per",
  "zone",
  "store",
  "estimate",
  "lease",
  "unreachable",
  "askFor",
  "lookEvery",
  "keepFor",
  "nameOf",
  "identity",
];
const positive = check<number>(
  (value) => typeof value === "number" && value > 0 && value < Infinity,
  "a number of milliseconds above 0",
);
const timer = check<number>(
  (value) => typeof value === "number" && value > 0 && value <= LONGEST_TIMER,
  "a number of milliseconds above 0 and below 2,147,483,648",
);
const requireAskFor = check<number | "forever">(
  (value) => value === "forever" || (typeof value === "number" && value > 0 && value < Infinity),
  'a number of milliseconds above 0, or "forever"',
);

/** The options of a pool, checked. */
export interface CheckedPoolOptions {
  id: string;
  limits: readonly CheckedPoolLimit[];
  subscription: string | undefined;
  per: Period | undefined;
  zone: string | undefined;
  store: Store | undefined;
  estimate: Readonly<Record<string, number | undefined>>;
  lease: number;
  unreachable: Unreachable;
  askFor: number | "forever";
  lookEvery: number;
  keepFor: number | undefined;
  nameOf: ((limit: string) => string) | undefined;
  identity: PoolIdentity;
}

/** A limit of a pool, checked. */
interface CheckedPoolLimit {
  identity: LimitIdentity & { kind: KindName | "plan" };
  options: { max: Max };
}

/** Checks what a pool is made from. Throws `InvalidLimit` for a bad value. */
export function requirePoolOptions(given: PoolOptions): CheckedPoolOptions {
  if (!isPlainObject(given)) throw new InvalidLimit("pool", given, "an object with an id and limits");
  for (const [name, value] of Object.entries(given))
    if (!KNOWN.includes(name)) throw unknownSetting(name, value, KNOWN);
  const id = text(given.id, "id");
  if (id === "" || id.includes("@")) throw new InvalidLimit("id", id, 'a text of its own without "@"');
  const per = optional(requirePeriod, undefined)(given.per, "per");
  const checkOf = (kind: KindName) => KINDS[kind][per ? "checkOfPeriod" : "check"] as Check<{ max: Max }>;
  const limits = POOLED.filter((name) => given[name] !== undefined).map(
    (kind): CheckedPoolLimit => ({
      identity: { kind },
      options: withoutReserve(kind, checkOf(kind)(given[kind], kind), given[kind]),
    }),
  );
  for (const [tool, options] of Object.entries(optional(record(checkOf("tools")), {})(given.tools, "tools")))
    limits.push({ identity: { kind: "tools", tool }, options });
  for (const [window, options] of Object.entries(requirePlan(given.plan, "plan")))
    limits.push({ identity: { kind: "plan", per: requireWindow(window, `plan.${window}`) }, options });
  return {
    id,
    limits,
    subscription: optional(text, undefined)(given.subscription, "subscription"),
    per,
    zone: optional(requireZone, undefined)(given.zone, "zone"),
    store: optional(isStore, undefined)(given.store, "store"),
    estimate: requireEstimate(given.estimate, "estimate"),
    lease: optional(timer, 60_000)(given.lease, "lease"),
    unreachable: optional(oneOf("stop", "ask", "local"), "stop")(given.unreachable, "unreachable"),
    askFor: optional(requireAskFor, 300_000)(given.askFor, "askFor"),
    lookEvery: optional(timer, 500)(given.lookEvery, "lookEvery"),
    keepFor: optional(positive, undefined)(given.keepFor, "keepFor"),
    nameOf: optional(anyFunction, undefined)(given.nameOf, "nameOf") as CheckedPoolOptions["nameOf"],
    identity: given.identity ? { ...given.identity } : { pool: id, ...(per && { per }) },
  };
}

function withoutReserve(name: KindName, checked: { max: Max }, given: unknown): { max: Max } {
  for (const option of ["reserve", "grace"])
    if ((checked as Record<string, unknown>)[option])
      throw new InvalidLimit(`${name}.${option}`, (given as Record<string, unknown>)[option], "0 in a pool");
  requireNoExtension(
    checked,
    name,
    "left out in a pool: what others draw from, too, is not extended by itself",
  );
  return checked;
}
