import { counted, DOLLARS, DURATION, TOKENS } from "./Amount.ts";
import type { Parts } from "./file-parts.ts";
import type { BudgetKey, LimitValues } from "./LimitValues.ts";
import {
  counting,
  exhaustionPolicy,
  headlessPolicy,
  maximum,
  ownChoice,
  policy,
  reserve,
  type Setting,
} from "./Setting.ts";

/** Every setting of every budget, by its path in a settings file. */
export const budgetSettings: { readonly [Key in BudgetKey]: Setting<LimitValues[Key]> } = {
  "tokens.max": maximum("token limit", TOKENS),
  "tokens.onExhausted": exhaustionPolicy("token policy"),
  "tokens.headless": headlessPolicy("token headless policy"),
  "tokens.reserve": reserve("token reserve", TOKENS),
  "tokens.cacheReads": counting("cache reads setting"),
  "tokens.cacheWrites": counting("cache writes setting"),

  "cost.max": maximum("cost limit", DOLLARS),
  "cost.onExhausted": exhaustionPolicy("cost policy"),
  "cost.headless": headlessPolicy("cost headless policy"),
  "cost.reserve": reserve("cost reserve", DOLLARS),
  "cost.unpriced": policy("unpriced policy", ["warn", "stop", "tokens"], "stop"),

  "time.max": maximum("time limit", DURATION),
  "time.onExhausted": exhaustionPolicy("time policy"),
  "time.headless": headlessPolicy("time headless policy"),

  "repeats.max": maximum("repeat limit", counted(1)),
  "repeats.onExhausted": exhaustionPolicy("repeat policy"),
  "repeats.headless": headlessPolicy("repeat headless policy"),

  boundary: ownChoice("boundary", ["confirm", "menu"], "only you say how you are asked"),
};

/** The table as a list. */
export const budgetSettingList = Object.entries(budgetSettings) as readonly [BudgetKey, Setting<unknown>][];

/** The budgets when nobody says otherwise. */
export const INITIAL_BUDGETS = Object.fromEntries(
  budgetSettingList.map(([key, { initial }]) => [key, initial]),
) as Pick<LimitValues, BudgetKey>;

/** The budgets that a settings file has an object for. */
export const budgetNames = ["tokens", "cost", "time", "repeats"] as const;

/** The settings of one budget, by their names in its object in a settings file. */
export function settingsOf(budget: (typeof budgetNames)[number]): Parts {
  const own = budgetSettingList.filter(([key]) => key.startsWith(`${budget}.`));
  const others = own.map(([key, setting]) => [key.slice(budget.length + 1), setting]);
  return { max: budgetSettings[`${budget}.max`], ...Object.fromEntries(others) };
}
