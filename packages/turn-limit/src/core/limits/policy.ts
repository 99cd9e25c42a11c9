import { type Check, count, oneOf, optional } from "../checks.ts";
import { InvalidLimit } from "../errors/invalid-limit.ts";

/**
 * What happens at a limit's boundary.
 *
 * - `ask`: a person is asked, and the run is held meanwhile
 * - `stop`: the run ends
 * - `raise`: the run ends, and the host's call rejects with the limit's error
 * - `synthesize`: one last turn without tools turns what was found into an answer
 * - `refuse`: calls that the limit does not cover are refused, and the run goes on; for limits of tool calls
 * - `wait`: the run is held until the limit starts over, and goes on by itself; for limits that do
 */
export type OnExhausted = "ask" | "stop" | "raise" | "synthesize" | "refuse" | "wait";

/** What happens instead of `ask` when there is no person to ask. */
export type Headless = Exclude<OnExhausted, "ask">;

/**
 * The policy of a limit that stands before turns, or before tool calls: only a call can be refused. A limit of one run does
 * not start over by itself, so that it cannot be waited for.
 */
export interface PolicyBefore<Stands extends "turn" | "step"> {
  /** What happens when it is used up. */
  onExhausted: Stands extends "turn" ? Exclude<OnExhausted, "refuse" | "wait"> : Exclude<OnExhausted, "wait">;
  /** What happens instead of asking when there is no person to ask. */
  headless: Stands extends "turn" ? Exclude<Headless, "refuse" | "wait"> : Exclude<Headless, "wait">;
}

/** What a limit does when it is used up. */
export interface Policy {
  onExhausted: OnExhausted;
  headless: Headless;
}

/** A policy in which what is left out has its default. */
export interface PolicyOptions {
  readonly onExhausted?: Exclude<OnExhausted, "wait"> | undefined;
  readonly headless?: Exclude<Headless, "wait"> | undefined;
}

/** Rounds that a run which gets somewhere is granted without a question, before what its policy says happens. */
export interface Extension {
  /** How many of them, until a person prompts or allows more. Default 0: none. */
  extend: number;
  /** How much each admits. Default 0: as much as the limit. */
  extendBy: number;
}

/** An extension in which what is left out has its default. */
export interface ExtensionOptions {
  /** How often another round follows one that got somewhere, before the policy. Default 0. */
  readonly extend?: number | undefined;
  /** How much each of these rounds admits. Default: as much as the limit. */
  readonly extendBy?: number | undefined;
}

/** What a policy comes to: a person is only asked where one can be. */
export function actionOf({ onExhausted, headless }: Policy, canAsk: boolean): OnExhausted {
  return onExhausted === "ask" && !canAsk ? headless : onExhausted;
}

/** The same where a person was asked, or the limit was waited for, and that came to nothing. */
export function actionAlone({ onExhausted, headless }: Policy): OnExhausted {
  return onExhausted === "ask" || onExhausted === "wait" ? headless : onExhausted;
}

/**
 * What is done at a boundary: what the policy says, what a person said before, or first to find out whether the run got
 * somewhere.
 */
export type Action = OnExhausted | "decline" | "extend";

/** What is done at a boundary, by the policy and what a person said. */
export type Decide = (policy: Policy) => Exclude<Action, "extend">;

const STRICTNESS: Record<Action, number> = {
  stop: 6,
  raise: 6,
  decline: 5,
  synthesize: 4,
  // A person is only asked about what is not extended.
  extend: 3,
  ask: 2,
  wait: 1,
  refuse: 0,
};

export function isStricter(action: Action, other: Action): boolean {
  return STRICTNESS[action] > STRICTNESS[other];
}

/** Does the run end, at once or with one last answer? */
export function endsRun(action: Action): boolean {
  return isStricter(action, "extend");
}

/** Is a held turn what comes of it, until a person replies or the limit starts over? */
export function holdsRun(action: Action): action is "ask" | "wait" {
  return action === "ask" || action === "wait";
}

/**
 * The checks of a policy, for a limit that stands before turns or before tool calls. `startsOver`: it does so by itself, so
 * that it can be waited for.
 */
export function policyChecks(
  before: "turn" | "step",
  startsOver = false,
): {
  onExhausted: Check<OnExhausted>;
  headless: Check<Headless>;
} {
  const end: Headless[] = ["stop", "raise", "synthesize"];
  if (before === "step") end.push("refuse");
  if (startsOver) return { headless: oneOf(...end, "wait"), onExhausted: oneOf("ask", ...end, "wait") };
  return { headless: withoutWait(oneOf(...end)), onExhausted: withoutWait(oneOf("ask", ...end)) };
}

/** The checks of an extension. `by`: of how much a round may have. */
export function extensionChecks(by: Check<number>): { [Name in keyof Extension]: Check<number> } {
  return { extend: optional(count(), 0), extendBy: optional(by, 0) };
}

/** Throws if an extension is given for something that has none. `allowed`: what to write instead. */
export function requireNoExtension(given: object, name: string, allowed = ONLY_BEFORE_TURNS): void {
  for (const option of ["extend", "extendBy"] as const) {
    const value = (given as Partial<Extension>)[option];
    if (value !== undefined && value !== 0) throw new InvalidLimit(`${name}.${option}`, value, allowed);
  }
}

const ONLY_BEFORE_TURNS = "left out: only a limit that stands before turns can be extended";
function withoutWait<P extends OnExhausted>(policy: Check<P>): Check<P> {
  return (value, name) => {
    if (value !== "wait") return policy(value, name);
    const allowed = "another policy";
    throw new InvalidLimit(name, value, allowed, `${name} cannot be "wait": ${NEVER_STARTS_OVER}`);
  };
}

/** Why a limit cannot be waited for. */
export const NEVER_STARTS_OVER =
  "this limit does not start over by itself. Use another policy, or a limit for a day, week or month";
