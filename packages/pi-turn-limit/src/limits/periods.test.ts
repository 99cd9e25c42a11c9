import { expect, test } from "vitest";
import { limitPer } from "./limit-per-period.ts";
import { nameWithPeriod, PERIODS, readPeriodName } from "./periods.ts";
import { limitCalled, piLimits } from "./pi-limits.ts";

test("a name with a period is read as what made it", () => {
  for (const kind of ["turns", "steps", "tokens", "cost", "time"]) {
    for (const per of PERIODS) expect(readPeriodName(nameWithPeriod(kind, per))).toEqual({ kind, per });
  }
  expect(nameWithPeriod("cost", "day")).toBe("cost per day");
});

test.for([
  "cost",
  "cost per year",
  "cost per",
  "per day",
  "cost  per day",
  "tools.x per day",
  "Cost per Day",
])("%s is not the name of a limit with a period", (name) => {
  expect(readPeriodName(name)).toBeUndefined();
});

test("turns, steps, tokens, cost and time can hold for a period, and no other limit can", () => {
  const known = piLimits.flatMap((row) =>
    PERIODS.flatMap((per) => ("label" in row && limitPer(row, per) ? [`${row.key} ${per}`] : [])),
  );
  expect(known).toEqual(
    ["turns", "steps", "tokens", "cost", "time"].flatMap((kind) => PERIODS.map((per) => `${kind} ${per}`)),
  );
  expect(limitPer(limitCalled("tools.bash"), "day")).toBeUndefined();
  expect(limitPer(limitCalled("cost per day"), "day")).toBeUndefined();
});

test("what a run has and a period has not is no setting of a limit for a period", () => {
  const settings = (name: string) => Object.keys(limitCalled(name).settings);
  expect(settings("turns per session")).toEqual(["max", "onExhausted", "headless"]);
  expect(settings("tokens per week")).toEqual([
    "max",
    "onExhausted",
    "headless",
    "cacheReads",
    "cacheWrites",
  ]);
  expect(settings("cost per day")).toEqual(["max", "onExhausted", "headless", "unpriced"]);
  expect(limitCalled("turns per day").settings.max.initial).toBe("unlimited");
});

test("a tool may have the name of a limit with a period", () => {
  expect(limitCalled("tools.cost per day")).toMatchObject({
    label: "cost per day",
    rowLabel: "cost per day calls",
  });
  expect(limitCalled("tools.cost per day").per).toBeUndefined();
});
