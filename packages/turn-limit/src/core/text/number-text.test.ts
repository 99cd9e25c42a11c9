import { expect, test } from "vitest";
import { countOf, dollars, tokens, whole } from "./number-text.ts";

test("tokens are short", () => {
  const amounts = [0, 950, 999, 1_000, 12_345, 999_949, 999_950, 1_500_000];
  expect(amounts.map((amount) => tokens(amount))).toEqual([
    ...["0", "950", "999", "1k", "12.3k", "999.9k", "1m", "1.5m"],
  ]);
});

test("small amounts of dollars do not read as none", () => {
  expect([0, 0.00001, 0.0042, 0.01, 1.5].map((amount) => dollars(amount))).toEqual([
    "$0.00",
    "<$0.0001",
    "$0.0042",
    "$0.01",
    "$1.50",
  ]);
});

test("amounts are rounded to the nearest, a half up, whatever binary fractions make of it", () => {
  expect([0.044, 0.045, 0.046, 1.005, 2.675].map((amount) => dollars(amount))).toEqual([
    ...["$0.04", "$0.05", "$0.05", "$1.01", "$2.68"],
  ]);
  expect([12_349, 12_350].map((amount) => tokens(amount))).toEqual(["12.3k", "12.4k"]);
});

test("beside a limit an amount has as many decimals as show whether the limit is reached", () => {
  expect(dollars(4.994, 5)).toBe("$4.99");
  expect(dollars(4.996, 5)).toBe("$4.996");
  expect(dollars(5, 5)).toBe("$5.00");
  expect(dollars(5.004, 5)).toBe("$5.00");
  expect(dollars(0.013, 0.01)).toBe("$0.013");
  expect(dollars(0.0449, 0.045)).toBe("$0.04");
  expect(dollars(0.045, 0.045)).toBe("$0.05");
  expect(dollars(0.044, 0.044)).toBe("$0.044");
  expect(tokens(199_960, 200_000)).toBe("199.96k");
  expect(tokens(999_999, 1_000_000)).toBe("0.999999m");
  expect(tokens(200_000, 200_000)).toBe("200k");
  expect(tokens(182_360, "unlimited")).toBe("182.4k");
});

test("thousands are set apart", () => {
  expect([0, 999, 1_000, 1_234_567.8].map(whole)).toEqual(["0", "999", "1,000", "1,234,568"]);
});

test("one is singular", () => {
  expect([0, 1, 1_200].map((count) => countOf(count, "line"))).toEqual(["0 lines", "1 line", "1,200 lines"]);
});
