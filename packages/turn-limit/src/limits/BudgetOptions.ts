import type { Policy } from "../governor/Policy.ts";
import type { Max } from "./Max.ts";

/** How much may be used, and what to do when it is. */
export interface BudgetOptions extends Partial<Policy> {
  /** How much a round admits. Default `unlimited`. */
  max?: Max;
}

/** A budget that can keep something back. */
export interface ReserveOptions extends BudgetOptions {
  /**
   * How much is kept back for the final answer: once only that is left, the model is told to wrap up, or makes the
   * answer without tools if that is the policy. Default 0. As much as the limit, or more, is none.
   */
  reserve?: number;
}

/** A maximum alone is a budget with the default policy. */
export function budgetOf<Options extends BudgetOptions>(given: Max | Options): Options {
  const isBudget = typeof given === "object" && given && !Array.isArray(given);
  return isBudget ? given : ({ max: given } as Options);
}
