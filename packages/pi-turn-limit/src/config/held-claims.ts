import { budgetSettingList } from "./budget-settings.ts";
import type { Claims } from "./LimitValues.ts";
import { isToolKey, toolBudgetOf } from "./tool-budgets.ts";

/** What of kept data is a claim about the budgets; what is none is left out. */
export function budgetClaimsIn(data: Readonly<Record<string, unknown>>): Claims {
  const budgets = budgetSettingList.map(([key, setting]) => [key, setting.of(data[key])]);
  const tools = Object.keys(data)
    .filter(isToolKey)
    .map((key) => [key, toolBudgetOf(data[key])]);
  return Object.fromEntries([...budgets, ...tools].filter(([, value]) => value !== undefined));
}
