import {
  amount,
  type Check,
  count,
  deepFreeze,
  flag,
  isPlainObject,
  object,
  oneOf,
  optional,
} from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";
import { newHiddenField } from "../hidden-field.ts";
import { MEASURES, type Measure } from "../measures/measures.ts";
import { callsBetween, costBetween, type Reading } from "../meter/meter.ts";
import { amountMax, DEFAULT_MAX_TURNS, type LimitIdentity, labelOf, type Max, wholeMax } from "./boundary.ts";
import { checkedLimit, reserveName, type SingleLimit } from "./limit.ts";
import {
  type Extension,
  extensionChecks,
  type Policy,
  type PolicyBefore,
  policyChecks,
  requireNoExtension,
} from "./policy.ts";
import { requireWrapUpOptions, type WrapUpOptions } from "./wrap-up.ts";

type Stands = "turn" | "step";

/** What every limit can be given: its policy, how much a round admits, and what follows a round that got somewhere. */
type CommonOptions<Before extends Stands> = PolicyBefore<Before> & { max: Max } & (Before extends "turn"
    ? Extension
    : unknown);

type Checks<Options> = { readonly [Name in keyof Options]: Check<Options[Name]> };

/** What makes one kind of limit different from another. */
interface Description<Options, Before extends Stands> {
  /** What it counts, in the singular: it is the `turn limit`. */
  readonly noun: string;
  /** What it measures: with that, in which numbers, and how they are written. */
  readonly measure: Measure;
  /** Is it checked before turns, or before tool calls? */
  readonly before: Before;
  /** The lowest maximum there is. Default 0. */
  readonly least?: number;
  /** Its maximum unless another is set. Default: unlimited. */
  readonly initial?: Max;
  /** Its policy unless another is set. */
  readonly onExhausted?: PolicyBefore<Before>["onExhausted"];
  readonly headless?: PolicyBefore<Before>["headless"];
  /** What else it can be given. */
  readonly options?: Checks<Options>;
  /** How much of it was used between two readings of the meter. */
  used(since: Reading, now: Reading, options: Options, tool: string): number;
}

/** A kind of limit: from its description follow its checks, its settings and its budget. */
export interface Kind<Options = object, Before extends Stands = Stands> extends Description<Options, Before> {
  /** Everything it can be given, with the defaults filled in. */
  check: Check<CommonOptions<Before> & Options>;
  /** The same of a limit that starts over by itself, so that it can be waited for. */
  checkOfPeriod: Check<CommonOptions<Before> & Options>;
  /** The limit for checked options. */
  limit(identity: LimitIdentity, options: CommonOptions<Before> & Options): SingleLimit;
}

function kind<Options = object, Before extends Stands = "turn">(
  description: Description<Options, Before>,
): Kind<Options, Before> {
  const { before, measure, used } = description;
  return {
    ...description,
    check: onceNeeded(() => checkOf(description, false)),
    checkOfPeriod: onceNeeded(() => checkOf(description, true)),
    limit: (identity, options) =>
      checkedLimit({
        ...options,
        name: labelOf(identity),
        identity: Object.freeze(identity),
        before,
        measure,
        ...(identity.tool !== undefined && { tool: identity.tool }),
        // Called in every turn, so without a function around it where it needs no more than the readings.
        usedBetween:
          used.length === 2
            ? (used as SingleLimit["usedBetween"])
            : (since, now) => used(since, now, options, identity.tool as string),
      }),
  };
}

// Most programs use few of them, and whoever starts one waits until they are made.
function onceNeeded<T>(make: () => Check<T>): Check<T> {
  let made: Check<T> | undefined;
  return (value, name) => {
    made ??= make();
    return made(value, name);
  };
}

function checkOf<Options, Before extends Stands>(
  { before, initial = "unlimited", measure, least, options, ...defaultPolicy }: Description<Options, Before>,
  startsOver: boolean,
): Kind<Options, Before>["check"] {
  const { whole } = MEASURES[measure];
  const max = whole ? wholeMax(least) : amountMax;
  const policy = policyChecks(before, startsOver);
  const all = object({
    max: optional(max, initial),
    onExhausted: optional(policy.onExhausted, defaultPolicy.onExhausted ?? "ask"),
    headless: optional(policy.headless, defaultPolicy.headless ?? "stop"),
    ...(before === "turn" && extensionChecks(whole ? count() : amount)),
    ...options,
  });
  type Complete = CommonOptions<Before> & Options;
  // Options are checked once, however many runs there are under them.
  const isChecked = newHiddenField<true>();
  const complete = (options: object, name: string): Complete => {
    const checkedOptions = all(options, name);
    // Before it is frozen: nothing can be put on what is.
    isChecked.set(checkedOptions, true);
    return deepFreeze(checkedOptions) as unknown as Complete;
  };
  let defaults: Complete | undefined;
  return (given, name) => {
    if (given === undefined) {
      defaults ??= complete({}, name);
      return defaults;
    }
    if (typeof given === "object" && given !== null && isChecked.get(given)) return given as Complete;
    // A maximum alone is the limit with the default policy.
    if (typeof given === "number" || typeof given === "string") max(given, `${name}.max`);
    else if (!isPlainObject(given))
      throw new InvalidLimit(name, given, `a maximum, "unlimited", or an object with max, onExhausted, …`);
    if (before === "step") requireNoExtension(Object(given), name);
    return complete(isPlainObject(given) ? given : { max: given }, name);
  };
}

/** What a cost limit can do about a model without a price. The first is the default. */
export const UNPRICED = ["warn", "stop", "tokens"] as const;

/** What a cost limit does about a model without a price. */
export type Unpriced = (typeof UNPRICED)[number];

/**
 * Every kind of limit there is, in the order in which they are reported. A new kind is one more entry.
 *
 * @internal
 */
export const KINDS = {
  /** Tool calls. */
  steps: kind({
    noun: "step",
    measure: "steps",
    before: "step",
    least: 1,
    onExhausted: "raise",
    used: (since, now) => now.steps - since.steps,
  }),
  /** Turns. Default 25. */
  turns: kind<{
    /** How many turns before the limit the model is told to wrap up. Default 0: it is not told. */
    grace: number;
    /** How the wrap-up is worded, and a grace that changes. */
    wrapUp: WrapUpOptions;
  }>({
    noun: "turn",
    measure: "turns",
    before: "turn",
    initial: DEFAULT_MAX_TURNS,
    options: { grace: optional(count(), 0), wrapUp: optional(requireWrapUpOptions, {}) },
    used: (since, now) => now.turns - since.turns,
  }),
  /** Requests of every kind: turns, those that are made again, and those besides the turns. */
  requests: kind({
    noun: "request",
    measure: "requests",
    before: "turn",
    used: (since, now) => now.requests - since.requests,
  }),
  /** Input and output tokens. */
  tokens: kind<{
    /**
     * How much is kept back for the final answer: once only that is left, the model is told to wrap up, or makes the
     * answer without tools if that is the policy. Default 0. As much as the limit, or more, is none.
     */
    reserve: number;
    /** Do tokens that were read from a cache count? Default: no. */
    cacheReads: boolean;
    /** Do tokens that were written to a cache count? Default: no. */
    cacheWrites: boolean;
  }>({
    noun: "token",
    measure: "tokens",
    before: "turn",
    options: {
      reserve: optional(count(), 0),
      cacheReads: optional(flag, false),
      cacheWrites: optional(flag, false),
    },
    used: (since, now, { cacheReads, cacheWrites }) =>
      now.input -
      since.input +
      (now.output - since.output) +
      (cacheReads ? now.cacheRead - since.cacheRead : 0) +
      (cacheWrites ? now.cacheWrite - since.cacheWrite : 0),
  }),
  /** US dollars. */
  cost: kind<{
    /** How much is kept back for the final answer, as with tokens. Default 0. */
    reserve: number;
    /**
     * What to do about a model without a price. Default `warn`.
     *
     * - `warn`: the run goes on, and the person is told that its cost is not known
     * - `stop`: the run is stopped
     * - `tokens`: the token limit takes over; where there is none, the run is stopped
     */
    unpriced: Unpriced;
  }>({
    noun: "cost",
    measure: "cost",
    before: "turn",
    options: {
      reserve: optional(amount, 0),
      unpriced: optional(oneOf(...UNPRICED), "warn"),
    },
    used: costBetween,
  }),
  /** Milliseconds, without those in which the run waits for a person. */
  time: kind<{
    /** How much is kept back for the final answer, as with tokens. Default 0. */
    reserve: number;
  }>({
    noun: "time",
    measure: "time",
    before: "turn",
    options: { reserve: optional(amount, 0) },
    used: (since, now) => now.time - since.time,
  }),
  /** Calls of single tools, by their names. */
  tools: kind({
    noun: "tool",
    measure: "calls",
    before: "step",
    headless: "refuse",
    used: (since, now, _, tool) => callsBetween(since, now, tool),
  }),
  /** How often in a row the same tool call may have the same result. Read off the row of calls, not the meter. */
  repeats: kind({
    noun: "repeat",
    measure: "calls",
    before: "step",
    least: 1,
    used: () => 0,
  }),
};

/**
 * A window of a subscription: how much of it is used its provider tells, for all runs of a person. Only pools have it.
 *
 * @internal
 */
export const PLAN = kind({ noun: "plan", measure: "percent", before: "turn", used: () => 0 });

/** How the limit of a window is called in stores: `plan per 5h`. */
const OF_PLAN = /^plan per ([0-9]+[mhd])$/;

/** The name of a kind of limit. */
export type KindName = keyof typeof KINDS;

/** The name of a limit: built in, of a single tool, or of one's own. */
export type LimitName = Exclude<KindName, "tools"> | `tools.${string}` | (string & {});

/** Everything a limit can be given, complete. */
export type LimitOptions<Name extends KindName> = ReturnType<(typeof KINDS)[Name]["check"]>;

/** What a limit can be given: its maximum, or an object in which what is left out has its default. */
export type LimitSetting<Name extends KindName> =
  | Max
  | { [Option in keyof LimitOptions<Name>]?: LimitOptions<Name>[Option] | undefined };

/** The same of a limit that starts over by itself, so that it can be waited for. */
export type LastingSetting<Name extends KindName> =
  | Max
  | {
      [Option in keyof LimitOptions<Name>]?:
        | LimitOptions<Name>[Option]
        | (Option extends keyof Policy ? "wait" : undefined)
        | undefined;
    };

/** The prefix of the names of single tools' limits. */
export const TOOLS = "tools.";

for (const name of [...Object.keys(KINDS), TOOLS]) reserveName(name);

/** The built-in limit that settings and stores call by this name: `cost`, `tools.bash`. */
export function builtIn(name: string): (LimitIdentity & { readonly kind: KindName | "plan" }) | undefined {
  const window = OF_PLAN.exec(name)?.[1];
  if (window !== undefined) return { kind: "plan", per: window };
  if (name.startsWith(TOOLS) && name !== TOOLS) return { kind: "tools", tool: name.slice(TOOLS.length) };
  return name !== "tools" && Object.hasOwn(KINDS, name) ? { kind: name as KindName } : undefined;
}

/** The kind of a limit, if it is a built-in one. */
export function kindOf({ kind }: LimitIdentity): Kind | undefined {
  if (kind === "plan") return PLAN as unknown as Kind;
  return Object.hasOwn(KINDS, kind) ? (KINDS[kind as KindName] as unknown as Kind) : undefined;
}

/** Is it a limit of whole numbers? */
export function isWholeKind(identity: LimitIdentity): boolean {
  const measure = kindOf(identity)?.measure;
  return measure !== undefined && MEASURES[measure].whole;
}

function combinable<Name extends KindName>(name: Name, given: LimitSetting<Name>): SingleLimit {
  const kind = KINDS[name] as unknown as Kind;
  return kind.limit({ kind: name }, kind.check(given, name));
}

/** A limit of tokens, to combine with others. */
export function tokenLimit(given: LimitSetting<"tokens">): SingleLimit {
  return combinable("tokens", given);
}

/** A limit of US dollars, to combine with others. */
export function costLimit(given: LimitSetting<"cost">): SingleLimit {
  return combinable("cost", given);
}

/** A limit of milliseconds, to combine with others. */
export function timeLimit(given: LimitSetting<"time">): SingleLimit {
  return combinable("time", given);
}

/** A limit of the calls of one tool, to combine with others. */
export function toolLimit(tool: string, given: LimitSetting<"tools">): SingleLimit {
  return KINDS.tools.limit({ kind: "tools", tool }, KINDS.tools.check(given, TOOLS + tool));
}
