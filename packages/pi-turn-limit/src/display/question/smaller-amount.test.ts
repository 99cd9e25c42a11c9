import { expect, test } from "vitest";
import { counted, DOLLARS, DURATION, TOKENS } from "../../core.ts";
import { smallerAmount } from "./smaller-amount.ts";

test.each([
  [DOLLARS, 20, "$5.00"],
  [DOLLARS, 10, "$2.50"],
  [DOLLARS, 5, "$1.00"],
  [DOLLARS, 1, "$0.25"],
  [DOLLARS, 0.05, "$0.01"],
  [counted(0), 100, "25"],
  [counted(0), 25, "5"],
  [counted(0), 10, "2"],
  [TOKENS, 2_000_000, "500k"],
  [DURATION, 7_200_000, "30m"],
  [DURATION, 600_000, "2m"],
])("a part of an amount reads well", (amount, whole, text) => {
  expect(amount.format(smallerAmount(amount, whole) ?? 0)).toBe(text);
});

test("it is never nothing: where there is no smaller amount, there is none", () => {
  for (const [amount, whole] of [
    [DOLLARS, 0.03],
    [DOLLARS, 0],
    [counted(0), 3],
    [counted(0), 0],
    [DURATION, 3_000],
  ] as const)
    expect(smallerAmount(amount, whole)).toBeUndefined();
});
