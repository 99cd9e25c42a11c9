import type { Boundary } from "../../src/index.ts";
import { BUDGET_NAMES, type Budget, boundaryOf, isOut, isShort } from "./Budget.ts";
import { isOutOfTurns, stepBoundary, turnBoundary, type World } from "./World.ts";

/** What is done at a boundary, the strictest first. */
const STRICTNESS = ["stop", "decline", "synthesize", "ask"] as const;
export type Deed = (typeof STRICTNESS)[number];

export interface Reached {
  deed: Deed;
  boundary: Boundary;
  /** The budget, unless it is the limit of turns or of steps. */
  budget?: Budget;
  unpriced?: true;
}

/** What a budget does at its boundary, as things are. */
export function deedOf({ terms }: Budget, { hasUi, declined }: World): Deed {
  const { onExhausted = "ask", headless = "stop" } = terms ?? {};
  if (onExhausted !== "ask") return onExhausted;
  if (!hasUi) return headless;
  return declined ? "decline" : "ask";
}

/** What the turn limit does at its boundary, as things are. */
export function turnLimitDeed({ hasUi, declined, headless }: World): Deed {
  if (!hasUi) return headless;
  return declined ? "decline" : "ask";
}

/** Is there a cost limit that must not go on without knowing the price? */
export function isUnpriced({ budgets: { cost, tokens }, priceUnknown }: World): boolean {
  const mode = cost.terms?.unpriced;
  return priceUnknown && (mode === "stop" || (mode === "tokens" && !tokens.terms));
}

/** The budgets before whose boundary the next turn is, in the order in which they are reported. */
export function reachedBudgets(world: World): Reached[] {
  const unpriced: Reached[] = isUnpriced(world)
    ? [{ deed: "stop", boundary: boundaryOf(world.budgets.cost), unpriced: true }]
    : [];
  return [
    ...unpriced,
    ...BUDGET_NAMES.flatMap((name) => {
      const budget = world.budgets[name];
      const deed = deedOf(budget, world);
      const reached = isOut(budget) || (deed === "synthesize" && isShort(budget));
      return reached ? [{ deed, boundary: boundaryOf(budget), budget }] : [];
    }),
  ];
}

/** Of the budgets at their boundary the strictest, and of several such the one that is reported first. */
export function strictestBudget(world: World): Reached | undefined {
  const reached = reachedBudgets(world);
  for (const strictness of STRICTNESS) {
    const first = reached.find(({ deed }) => deed === strictness);
    if (first) return first;
  }
  return undefined;
}

/** Is this deed one that comes before the other? */
export function isStricter(deed: Deed, other: Deed): boolean {
  return STRICTNESS.indexOf(deed) < STRICTNESS.indexOf(other);
}

/** What stands before the next turn, of all limits. Those of turns and steps have nothing to say about a retry. */
export function strictest(world: World, isRetry: boolean): Reached | undefined {
  const budget = strictestBudget(world);
  if (isRetry) return budget;
  if (world.stepsExceeded) return { deed: "stop", boundary: stepBoundary(world) };
  if (!isOutOfTurns(world)) return budget;
  const deed = turnLimitDeed(world);
  return budget && isStricter(budget.deed, deed) ? budget : { deed, boundary: turnBoundary(world) };
}

/** Is a budget short, so that the model has to be told, because nobody else makes the final answer? */
export function isAnyShort(world: World): boolean {
  return BUDGET_NAMES.some((name) => {
    const budget = world.budgets[name];
    return isShort(budget) && deedOf(budget, world) !== "synthesize";
  });
}
