import { InvalidLimit } from "../errors/InvalidLimit.ts";
import { budgetOf, type ReserveOptions } from "./BudgetOptions.ts";
import { type CustomLimit, requireLimit } from "./Limit.ts";
import type { Max } from "./Max.ts";

/**
 * What a cost limit does about a model without a price.
 *
 * - `warn`: the run goes on, and the person is told that its cost is not known
 * - `stop`: the run is stopped
 * - `tokens`: the token limit takes over; where there is none, the run is stopped
 */
export type Unpriced = "warn" | "stop" | "tokens";

/** A budget of US dollars. */
export interface CostOptions extends ReserveOptions {
  /** What to do about a model without a price. Default `warn`. */
  unpriced?: Unpriced;
}

/** US dollars, as the host prices them. */
export function costLimit(given: Max | CostOptions): CustomLimit & { unpriced: Unpriced } {
  const { max = "unlimited", unpriced = "warn", ...rest } = budgetOf(given);
  if (!["warn", "stop", "tokens"].includes(unpriced))
    throw new InvalidLimit("cost.unpriced", unpriced, '"warn", "stop" or "tokens"');
  return requireLimit({ ...rest, name: "cost", max, unpriced, used: ({ cost }) => cost });
}
