import { expect, test } from "vitest";
import { whyRefused } from "../../../test/helpers/runs.ts";
import { addUsage, exact, requireUsage } from "./usage.ts";

test("what a provider reports is taken, what it leaves out stays out", () => {
  for (const usage of [
    { input: 0, output: 0 },
    { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 },
  ])
    expect(requireUsage(usage, "usage")).toEqual(usage);
  expect(requireUsage({ input: 1, output: 2, cost: undefined }, "usage")).toEqual({ input: 1, output: 2 });
});

test.each(["input", "output", "cacheRead", "cacheWrite", "cost"])(
  "%s that is no number of 0 or more is refused by its name",
  (part) => {
    const values = [null, Number.NaN, -1, Number.POSITIVE_INFINITY, "5", true, {}, [], 1n, 1e13, 1e308];
    for (const value of values)
      expect(whyRefused(() => requireUsage({ input: 1, output: 1, [part]: value }, "usage"))).toMatchObject({
        setting: `usage.${part}`,
        value,
      });
  },
);

test("input and output must be there", () => {
  expect(whyRefused(() => requireUsage({ output: 1 }, "usage"))).toMatchObject({ setting: "usage.input" });
  expect(whyRefused(() => requireUsage({ input: 1 }, "usage"))).toMatchObject({ setting: "usage.output" });
  expect(whyRefused(() => requireUsage({}, "usage"))).toMatchObject({ setting: "usage.input" });
  for (const value of [undefined, null, 5, "5", () => {}, [1, 2], new Map([["input", 1]])])
    expect(whyRefused(() => requireUsage(value, "usage"))).toMatchObject({ setting: "usage", value });
});

test("two usages add up, and what neither has is not made up", () => {
  expect(
    addUsage({ input: 1, output: 2, cost: 0.1 }, { input: 3, output: 4, cacheRead: 5, cost: 0.2 }),
  ).toEqual({
    input: 4,
    output: 6,
    cacheRead: 5,
    cost: 0.3,
  });
});

test.each([
  [0.1 + 0.2, 0.3],
  [0.1 + 0.7, 0.8],
  [0, 0],
  [4e-10, 4e-10],
  [1e-13, 1e-13],
  [1e-300, 1e-300],
  [123.456, 123.456],
  [1 / 3, 1 / 3],
  [9e15, 9e15],
])("%d is meant as %d", (amount, meant) => {
  expect(exact(amount)).toBe(meant);
});
