import { memoryStore } from "turn-limit";
import { expect, test } from "vitest";
import type { PeriodLimit } from "../limits/periods.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { completed, type Settings } from "../settings/settings.ts";
import type { HandedPeriod } from "./handed-down.ts";
import { ParentsBudgets, taskName } from "./parents-budgets.ts";

const valuesOf = (settings: Settings) => completed(settings) as unknown as LimitValues;
const policies = { onExhausted: "ask", headless: "stop" } as const;

function handed(periods: HandedPeriod[] = []) {
  const tokens = { max: "unlimited" as const, cacheReads: false, cacheWrites: false };
  const prompt = {
    pool: "prompt 1",
    isOpen: true,
    tokens,
    cost: { max: 5, unpriced: "warn" as const },
    time: { max: 60_000 },
  };
  return new ParentsBudgets({ store: "", prompts: [prompt], periods }, memoryStore());
}

const cost = (max: number, per: PeriodLimit["per"]): PeriodLimit => ({
  ...{ name: `cost per ${per}`, kind: "cost", per, max },
  options: policies,
});

test("a limit of its own holds beside what was handed down if it is lower", () => {
  const { tokens, cost, time } = handed().own(
    valuesOf({ tokens: { max: 100 }, cost: { max: 2 }, time: { max: 60_000 } }),
  );
  expect([tokens.max, cost.max, time.max]).toEqual([100, 2, "unlimited"]);
});

test("of a limit per day the lower one holds, whoever has set it [SubAgentNeverRaises]", () => {
  const budgets = handed([{ kind: "cost", per: "day", max: 20 }]);
  const periods = (own: PeriodLimit[]) => budgets.periodLimits(own, valuesOf({}), "8");
  expect(periods([cost(50, "day")])).toMatchObject([{ name: "cost per day", max: 20 }]);
  expect(periods([cost(10, "day")])).toMatchObject([{ name: "cost per day", max: 10 }]);
  expect(periods([])).toMatchObject([{ name: "cost per day", max: 20, options: policies }]);
});

test("the budget of the session above is drawn from beside its own, which only counts if it is lower", () => {
  const budgets = handed([{ kind: "cost", per: "session", max: 20, session: "7" }]);
  const values = valuesOf({});
  expect(budgets.periodLimits([cost(30, "session")], values, "8")).toEqual([]);
  expect(budgets.periodLimits([cost(3, "session")], values, "8")).toMatchObject([{ max: 3 }]);
  expect(budgets.pools(values, "8").map(({ id }) => id)).toEqual(["prompt 1", "session 7"]);
});

test("a sub-agent that goes on with the session above has one budget with it, with the lower limit [SubAgentNeverRaises]", () => {
  const budgets = handed([{ kind: "cost", per: "session", max: 20, session: "7" }]);
  const values = valuesOf({});
  const periods = (own: PeriodLimit[]) => budgets.periodLimits(own, values, "7");
  expect(periods([cost(3, "session")])).toMatchObject([{ name: "cost per session", max: 3 }]);
  expect(periods([cost(30, "session")])).toMatchObject([{ name: "cost per session", max: 20 }]);
  expect(periods([])).toMatchObject([{ name: "cost per session", max: 20 }]);
  expect(budgets.pools(values, "7").map(({ id }) => id)).toEqual(["prompt 1"]);
  expect(budgets.handedOn("7").periods).toEqual([]);
});

test("the same policies have the same pools", () => {
  const budgets = handed();
  expect(budgets.pools(valuesOf({}), "8")).toBe(budgets.pools(valuesOf({}), "8"));
});

test.for([
  ["Look into it.", "Look into it."],
  ["Task: Look into it.", "Look into it."],
  ["\n  Look into it.  \nAnd then …", "Look into it."],
  ["", ""],
  ["word ".repeat(20), `${"word ".repeat(11)}word…`],
] as const)("an agent is called by the first words of its task: %j", ([prompt, name]) => {
  expect(taskName(prompt)).toBe(name);
});
