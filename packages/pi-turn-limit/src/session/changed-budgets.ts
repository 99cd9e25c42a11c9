import type { BudgetSettings } from "turn-limit";
import type { LimitValues } from "../config/LimitValues.ts";
import { isToolKey, toolOf } from "../config/tool-budgets.ts";

/** Those of the budgets beside turns and steps that have changed, by the keys of what has, as the governor takes them. */
export function changedBudgets(values: LimitValues, changed: readonly string[]): BudgetSettings {
  const names = new Set(changed.map((key) => key.split(".")[0]));
  return Object.fromEntries(Object.entries(budgetsOf(values)).filter(([name]) => names.has(name)));
}

function budgetsOf(values: LimitValues): Required<BudgetSettings> {
  return {
    tokens: {
      max: values["tokens.max"],
      onExhausted: values["tokens.onExhausted"],
      headless: values["tokens.headless"],
      reserve: values["tokens.reserve"],
      cacheReads: values["tokens.cacheReads"],
      cacheWrites: values["tokens.cacheWrites"],
    },
    cost: {
      max: values["cost.max"],
      onExhausted: values["cost.onExhausted"],
      headless: values["cost.headless"],
      reserve: values["cost.reserve"],
      unpriced: values["cost.unpriced"],
    },
    time: {
      max: values["time.max"],
      onExhausted: values["time.onExhausted"],
      headless: values["time.headless"],
    },
    tools: toolsOf(values),
    repeats: {
      max: values["repeats.max"],
      onExhausted: values["repeats.onExhausted"],
      headless: values["repeats.headless"],
    },
  };
}

function toolsOf(values: LimitValues): Required<BudgetSettings>["tools"] {
  const keys = Object.keys(values).filter(isToolKey);
  return Object.fromEntries(keys.map((key) => [toolOf(key), values[key] ?? "unlimited"]));
}
