import type { Boundary } from "../limits/boundary.ts";
import { type Action, actionOf, holdsRun, isStricter, type Policy } from "../limits/policy.ts";
import type { Loop } from "../words.ts";
import type { Budget } from "./budget.ts";

/** A budget at its boundary, and what is done about it. */
export interface Reached {
  budget: Budget;
  boundary: Boundary;
  action: Action;
  /** Is a call only refused for now, because it was made before? */
  warning?: Loop | undefined;
}

/** What is done at the boundary of a limit with this policy. `declined`: has a person said no before? */
export function actionAt(policy: Policy, canAsk: boolean, declined: boolean): Exclude<Action, "extend"> {
  const action = actionOf(policy, canAsk);
  // A no stands until a person prompts or changes a limit: a program that goes on does not bring the question back.
  return declined && holdsRun(action) ? "decline" : action;
}

/** The one that decides: of two the stricter, and among equals the first. */
export function decisive(one: Reached | undefined, other: Reached): Reached {
  return one && !isStricter(other.action, one.action) ? one : other;
}

/**
/**
 * What an action comes to: a held turn, a question to the host, a refused call, the tools-free last turn, or the end of the
 * run. Without evidence there is nothing to make a last answer from.
 */
export function consequenceOf(
  action: Action,
  hasEvidence: boolean,
): "ask" | "extend" | "refuse" | "synthesize" | "end" {
  if (holdsRun(action)) return "ask";
  if (action === "extend" || action === "refuse") return action;
  return action === "synthesize" && hasEvidence ? "synthesize" : "end";
}
