import { callsOf } from "../governor/Spent.ts";
import { type BudgetOptions, budgetOf } from "./BudgetOptions.ts";
import { type CustomLimit, requireLimit } from "./Limit.ts";
import { type Max, requireMax } from "./Max.ts";

/** Calls of one tool. */
export function toolLimit(tool: string, given: Max | BudgetOptions): CustomLimit {
  const { max = "unlimited", ...policy } = budgetOf(given);
  const name = `tools.${tool}`;
  return requireLimit({
    ...policy,
    name,
    max: requireMax(`${name}.max`, max),
    used: (spent) => callsOf(spent, tool),
    before: "step",
    tool,
  });
}
