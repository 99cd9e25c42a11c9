import { amount, count, flag, oneOf, optional } from "../checks.ts";
import { MEASURES } from "../measures/measures.ts";
import { callsBetween, costBetween } from "../meter/meter.ts";
import { DEFAULT_MAX_TURNS, type LimitIdentity, type Max } from "./boundary.ts";
import { type Kind, kind } from "./kind.ts";
import { reserveName, type SingleLimit } from "./limit.ts";
import type { Policy } from "./policy.ts";
import { requireWrapUpOptions, type WrapUpOptions } from "./wrap-up.ts";

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
