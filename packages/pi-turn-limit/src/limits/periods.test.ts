import { expect, test } from "vitest";
import { limitCalled } from "../../test/helpers/named.ts";
import { limitAt, limitOf, limitPer } from "./limit-of.ts";
import { nameWithPeriod, PERIODS } from "./periods.ts";
import { identityOf } from "./pi-limit.ts";
import { piLimits } from "./pi-limits.ts";

test("a limit with a period is found by its key, and knows its kind and its period", () => {
  for (const kind of ["turns", "steps", "tokens", "cost", "time"] as const) {
    for (const per of PERIODS) {
      const key = nameWithPeriod(kind, per);
      const limit = limitAt([key]);
      expect(limit && identityOf(limit)).toEqual({ kind, per });
      expect(limitOf({ limit: key, identity: { kind, per } }).key).toBe(key);
    }
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
  expect(limitAt([name])?.per).toBeUndefined();
});

test("a limit of somebody's own is no limit of cost, whatever it is called", () => {
  for (const limit of ["cost per minute", "cost per day", "cost of pool research"]) {
    const known = limitOf({ limit, identity: { kind: "custom" } });
    expect(known).toMatchObject({ key: limit, label: limit, unit: limit });
    expect(known.settings.max.amount.show(2)).toBe("2");
  }
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
