import { budgetOf, type ReserveOptions } from "./BudgetOptions.ts";
import { type CustomLimit, requireLimit } from "./Limit.ts";
import type { Max } from "./Max.ts";

/** Milliseconds, without those in which a person is waited for. */
export function timeLimit(given: Max | ReserveOptions): CustomLimit {
  const { max = "unlimited", ...rest } = budgetOf(given);
  return requireLimit({ ...rest, name: "time", max, used: ({ time }) => time });
}
