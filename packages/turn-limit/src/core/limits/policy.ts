import { type Check, oneOf } from "../checks.ts";

/**
 * What happens at a limit's boundary.
 *
 * - `ask`: a person is asked, and the run is held meanwhile
 * - `stop`: the run ends
 * - `raise`: the run ends, and the host's call rejects with the limit's error
 * - `synthesize`: one last turn without tools turns what was found into an answer
 * - `refuse`: calls that the limit does not cover are refused, and the run goes on; for limits of tool calls
 */
export type OnExhausted = "ask" | "stop" | "raise" | "synthesize" | "refuse";

/** What happens instead of `ask` when there is no person to ask. */
export type Headless = Exclude<OnExhausted, "ask">;

/** The policy of a limit that stands before turns, or before tool calls: only a call can be refused. */
export interface PolicyBefore<Stands extends "turn" | "step"> {
  /** What happens when it is used up. */
  onExhausted: Stands extends "turn" ? Exclude<OnExhausted, "refuse"> : OnExhausted;
  /** What happens instead of asking when there is no person to ask. */
  headless: Stands extends "turn" ? Exclude<Headless, "refuse"> : Headless;
}

/** What a limit does when it is used up. */
export interface Policy {
  onExhausted: OnExhausted;
  headless: Headless;
}

/** A policy in which what is left out has its default. */
export interface PolicyOptions {
  readonly onExhausted?: OnExhausted | undefined;
  readonly headless?: Headless | undefined;
}

/** What a policy comes to: a person is only asked where one can be. */
export function actionOf({ onExhausted, headless }: Policy, canAsk: boolean): OnExhausted {
  return onExhausted === "ask" && !canAsk ? headless : onExhausted;
}

/** What is done at a boundary: what the policy says, or what a person said before. */
export type Action = OnExhausted | "decline";

/** What is done at a boundary, by the policy and what a person said. */
export type Decide = (policy: Policy) => Action;

const STRICTNESS: Record<Action, number> = {
  stop: 4,
  raise: 4,
  decline: 3,
  synthesize: 2,
  ask: 1,
  refuse: 0,
};

export function isStricter(action: Action, other: Action): boolean {
  return STRICTNESS[action] > STRICTNESS[other];
}

/** Does the run end, at once or with one last answer? */
export function endsRun(action: Action): boolean {
  return isStricter(action, "ask");
}

/** The checks of a policy, for a limit that stands before turns or before tool calls. */
export function policyChecks(before: "turn" | "step"): {
  onExhausted: Check<OnExhausted>;
  headless: Check<Headless>;
} {
  const end = ["stop", "raise", "synthesize"] as const;
  const headless = before === "step" ? oneOf(...end, "refuse") : oneOf(...end);
  return { headless, onExhausted: before === "step" ? oneOf("ask", ...end, "refuse") : oneOf("ask", ...end) };
}
