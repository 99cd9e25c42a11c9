import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatDollars,
  formatDuration,
  formatTokens,
  maxText,
  showDollars,
  showDuration,
  showTokens,
} from "./write-amounts.ts";

test("tokens are short", () => {
  const amounts = [0, 950, 999, 1_000, 12_345, 999_949, 999_950, 1_500_000];
  expect(amounts.map((amount) => showTokens(amount))).toEqual([
    ...["0", "950", "999", "1k", "12.3k", "999.9k", "1m", "1.5m"],
  ]);
});

test("small amounts of dollars do not read as none", () => {
  expect([0, 0.00001, 0.0042, 0.01, 1.5].map((amount) => showDollars(amount))).toEqual([
    "$0.00",
    "<$0.0001",
    "$0.0042",
    "$0.01",
    "$1.50",
  ]);
});

test("amounts are rounded to the nearest, a half up, whatever binary fractions make of it", () => {
  expect([0.044, 0.045, 0.046, 1.005, 2.675].map((amount) => showDollars(amount))).toEqual([
    ...["$0.04", "$0.05", "$0.05", "$1.01", "$2.68"],
  ]);
  expect([12_349, 12_350].map((amount) => showTokens(amount))).toEqual(["12.3k", "12.4k"]);
});

test("beside a limit an amount has as many decimals as show whether the limit is reached", () => {
  expect(showDollars(4.994, 5)).toBe("$4.99");
  expect(showDollars(4.996, 5)).toBe("$4.996");
  expect(showDollars(5, 5)).toBe("$5.00");
  expect(showDollars(0, 0)).toBe("$0.00");
  expect(showDollars(5.004, 5)).toBe("$5.00");
  expect(showDollars(0.013, 0.01)).toBe("$0.013");
  expect(showDollars(0.0449, 0.045)).toBe("$0.04");
  expect(showDollars(0.045, 0.045)).toBe("$0.05");
  expect(showDollars(0.044, 0.044)).toBe("$0.044");
  expect(showDollars(4.9999999, 5)).toBe("<$5.00");
  expect(showDollars(-1e-18, 0)).toBe("$0.00");
  expect(showDollars(0.000102, 0.0001)).toBe("$0.000102");
  expect(showDollars(0.00042, 0.0004)).toBe("$0.00042");
  expect(showDollars(0.0123456, 0.0123455)).toBe("$0.0123455");
  expect(showDollars(0.00041, 0.0005)).toBe("$0.0004");
  expect(showTokens(199_960, 200_000)).toBe("199.96k");
  expect(showTokens(999_999, 1_000_000)).toBe("0.999999m");
  expect(showTokens(200_000, 200_000)).toBe("200k");
  expect(showTokens(182_360, "unlimited")).toBe("182.4k");
});

test("what sums and differences of money are off by is never written", () => {
  const mills = fc.array(fc.integer({ min: -100_000, max: 100_000 }), { maxLength: 20 });
  const sum = mills.map((parts) => parts.reduce((total, part) => total + part / 1_000, 0));
  const dollars = { format: formatDollars };
  fc.assert(
    fc.property(sum, sum, (used, max) => {
      expect(showDollars(used)).toMatch(/^<?\$\d+\.\d{2,4}$/);
      expect(showDollars(used, max)).toMatch(/^<?\$\d+\.\d{2,4}$/);
    }),
  );
  const remainder = 0.1 + 0.2 - 0.3;
  expect(showDollars(-remainder, 0)).toBe("$0.00");
  expect([remainder, -remainder, 0.1 + 0.2, 0.05 - 0.02].map((max) => maxText(dollars, max))).toEqual([
    ...["$0.00", "$0.00", "$0.30", "$0.03"],
  ]);
});

test.each([
  [0, "0s"],
  [999, "0s"],
  [45_999, "45s"],
  [60_000, "1m"],
  [372_000, "6m 12s"],
  [3_900_000, "1h 5m"],
  [3_615_000, "1h"],
])("%d milliseconds that passed read %s", (milliseconds, text) => {
  expect(showDuration(milliseconds)).toBe(text);
});

test.each([
  [59_999, 60_000, "59s"],
  [60_000, 60_000, "1m"],
  [61_000, 60_000, "1m 1s"],
  [39, 40, "0s"],
  [40, 40, "0.04s"],
  [40.2, 40, "0.041s"],
  [61_499, 61_400, "1m 1.499s"],
  [62_000, 61_400, "1m 2s"],
])(
  "%d milliseconds beside a limit of %d read %s, so that one sees whether it is reached",
  (used, max, text) => {
    expect(showDuration(used, max)).toBe(text);
  },
);

test("a maximum is written exactly", () => {
  expect(maxText({ format: formatDollars }, 0.015)).toBe("$0.015");
  expect(maxText({ format: formatDollars }, "unlimited")).toBe("∞");
});

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1k"],
  [1_500, "1.5k"],
  [1_050, "1050"],
  [182_345, "182345"],
  [200_000, "200k"],
  [1_250_000, "1.25m"],
  [1_500_000, "1.5m"],
])("%d tokens are written %j", (tokens, text) => {
  expect(formatTokens(tokens)).toBe(text);
});

test.each([
  [0, "$0.00"],
  [5, "$5.00"],
  [0.5, "$0.50"],
  [12.34, "$12.34"],
  [0.125, "$0.125"],
  [1.5e-7, "$0.00000015"],
  [1e21, "$1000000000000000000000.00"],
])("%d dollars are written %j", (dollars, text) => {
  expect(formatDollars(dollars)).toBe(text);
});

test.each([
  [0, "0s"],
  [90_000, "1m30s"],
  [600_000, "10m"],
  [5_400_000, "1h30m"],
  [3_615_000, "1h15s"],
  [1_500, "1.5s"],
])("%d milliseconds are written %j", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
