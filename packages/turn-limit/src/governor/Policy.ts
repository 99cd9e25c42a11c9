import { InvalidLimit } from "../errors/InvalidLimit.ts";
import { type Headless, requireHeadless } from "./Headless.ts";

/** What to do when a budget has run out: ask a person, end the run, or end it with an answer made without tools. */
export type OnBudgetExhausted = "ask" | "stop" | "synthesize";

/** What to do when a budget has run out. */
export interface Policy {
  onExhausted: OnBudgetExhausted;
  /** What to do instead of asking when nobody can be asked. */
  headless: Headless;
}

/** What really happens at a boundary, the strictest first. */
const ACTIONS = ["stop", "decline", "synthesize", "ask"] as const;
export type Action = (typeof ACTIONS)[number];

/** Returns what of `options` is a policy, with the defaults, or throws `InvalidLimit`. */
export function requirePolicy(setting: string, options: Partial<Policy>): Policy {
  const { onExhausted = "ask", headless = "stop" } = options;
  if (!["ask", "stop", "synthesize"].includes(onExhausted))
    throw new InvalidLimit(`${setting}.onExhausted`, onExhausted, '"ask", "stop" or "synthesize"');
  return { onExhausted, headless: requireHeadless(headless, setting) };
}

/** Of several that are reached, the strictest; among equals the first. */
export function strictest<Reached extends { action: Action }>(reached: Reached[]): Reached | undefined {
  if (reached.length < 2) return reached[0];
  return reached.toSorted((one, other) => ACTIONS.indexOf(one.action) - ACTIONS.indexOf(other.action))[0];
}
