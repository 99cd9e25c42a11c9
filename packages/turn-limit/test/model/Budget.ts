import type { Boundary, Headless, Max, OnBudgetExhausted, Unpriced } from "../../src/index.ts";

/** The budgets of the model, in the order in which they are reported. */
export const BUDGET_NAMES = ["tokens", "cost", "time", "tools.read"] as const;
export type BudgetName = (typeof BUDGET_NAMES)[number];

/** What a person says about a budget. */
export interface Terms {
  max: number;
  onExhausted: OnBudgetExhausted;
  headless: Headless;
  reserve: number;
  unpriced: Unpriced;
}

/** A budget as the specification sees it. One without terms is no limit, and counts all the same. */
export interface Budget {
  name: BudgetName;
  terms: Terms | null;
  /** What a person allowed for this round in the place of the maximum. */
  allowance: Max | null;
  used: number;
  /** Was the last call that it is about refused? */
  exceeded: boolean;
}

export function newBudgets(terms: Record<BudgetName, Terms | null>): Record<BudgetName, Budget> {
  const budgets = BUDGET_NAMES.map((name) => [
    name,
    { name, terms: terms[name], allowance: null, used: 0, exceeded: false },
  ]);
  return Object.fromEntries(budgets);
}

/** How much this round admits. */
export function allowed({ terms, allowance }: Budget): Max {
  return terms ? (allowance ?? terms.max) : "unlimited";
}

/** Does the budget not cover one more of what it counts? */
export function isFull(budget: Budget): boolean {
  const max = allowed(budget);
  return max !== "unlimited" && budget.used >= max;
}

/** Does the budget stand before the next turn? One that counts calls does if it had to refuse one. */
export function isOut(budget: Budget): boolean {
  return isFull(budget) && (budget.name !== "tools.read" || budget.exceeded);
}

/** Is no more left than what is kept back for the final answer? */
export function isShort(budget: Budget): boolean {
  const max = allowed(budget);
  const { reserve = 0 } = budget.terms ?? {};
  if (max === "unlimited" || budget.name === "tools.read" || reserve === 0 || reserve >= max) return false;
  return budget.used + reserve >= max;
}

export function startOver(budget: Budget): void {
  Object.assign(budget, { used: 0, allowance: null, exceeded: false });
}

export function boundaryOf(budget: Budget): Boundary {
  return { limit: budget.name, used: budget.used, max: allowed(budget) };
}
