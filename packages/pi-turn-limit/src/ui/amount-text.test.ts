import { expect, test } from "vitest";
import { amountText, maxText, usedText } from "./amount-text.ts";

test.each([
  ["turns", 12, "12"],
  ["turns", 1_000, "1000"],
  ["tokens", 950, "950"],
  ["tokens", 182_345, "182.3k"],
  ["tokens", 200_000, "200k"],
  ["tokens", 1_500_000, "1.5m"],
  ["cost", 0.93, "$0.93"],
  ["cost", 5, "$5.00"],
  ["time", 0, "0s"],
  ["time", 999, "0s"],
  ["time", 45_000, "45s"],
  ["time", 372_000, "6m 12s"],
  ["time", 600_000, "10m"],
  ["time", 3_900_000, "1h 5m"],
  ["time", 3_605_000, "1h"],
  ["tools.bash", 30, "30"],
] as const)("%s of %s read as %s", (limit, amount, text) => {
  expect(amountText(limit, amount)).toBe(text);
});

test.each([
  ["turns", "unlimited", "∞"],
  ["tokens", 1_250_000, "1.25m"],
  ["tokens", 200_000, "200k"],
  ["cost", 5, "$5.00"],
  ["cost", 0.015, "$0.015"],
  ["time", 5_400_000, "1h30m"],
] as const)("a limit of %s %s reads as %s, exactly", (limit, max, text) => {
  expect(maxText(limit, max)).toBe(text);
});

test("what is used does not read as all of it before it is", () => {
  expect(amountText("tokens", 199_960)).toBe("199.9k");
  expect(amountText("cost", 0.996)).toBe("$0.99");
  expect(amountText("cost", 0.29)).toBe("$0.29");
});

test("a cost that is not all known does not read as if it were", () => {
  expect(usedText({ limit: "cost", used: 0, max: 5, unpriced: true })).toBe("?");
  expect(usedText({ limit: "cost", used: 0.93, max: 5, unpriced: true })).toBe("≥$0.93");
  expect(usedText({ limit: "cost", used: 0.93, max: 5 })).toBe("$0.93");
});
