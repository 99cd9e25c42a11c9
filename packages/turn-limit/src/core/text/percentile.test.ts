import { expect, test } from "vitest";
import { saidAmount } from "./amount-per-period.ts";
import { counted, DOLLARS, DURATION } from "./amounts.ts";
import { formatPercentile, isPercentile, parsePercentile, whyNoPercentile } from "./percentile.ts";

const TURNS = counted(0);

test.each([
  ["p90", { of: 90 }, "p90"],
  [" P5 ", { of: 5 }, "p5"],
  ["p99 up to 50", { of: 99, upTo: 50 }, "p99 up to 50"],
  ["p75  UP  to 0", { of: 75, upTo: 0 }, "p75 up to 0"],
])("%j is a percentile", (text, percentile, written) => {
  expect(parsePercentile(text, TURNS)).toEqual(percentile);
  expect(formatPercentile(percentile, TURNS)).toBe(written);
  expect(isPercentile(written)).toBe(true);
});

test("what it is never above is an amount of its limit", () => {
  expect(parsePercentile("p90 up to $5", DOLLARS)).toEqual({ of: 90, upTo: 5 });
  expect(parsePercentile("p90 up to 1h30m", DURATION)).toEqual({ of: 90, upTo: 5_400_000 });
  expect(formatPercentile({ of: 90, upTo: 5_400_000 }, DURATION)).toBe("p90 up to 1h30m");
  expect(parsePercentile("p90 up to $5", TURNS)).toBeUndefined();
});

test.each([
  ["p", '"p" is not a percentile. Use p1 to p99, such as p90.'],
  ["p0", '"p0" is not a percentile. Use p1 to p99, such as p90.'],
  ["p100", '"p100" is not a percentile. Use p1 to p99, such as p90.'],
  ["p101 up to 5", '"p101" is not a percentile. Use p1 to p99, such as p90.'],
  ["p99.9", '"p99.9" is not a percentile. Use p1 to p99, such as p90.'],
  ["p-5", '"p-5" is not a percentile. Use p1 to p99, such as p90.'],
  ["p90%", '"p90%" is not a percentile. Use p1 to p99, such as p90.'],
  ["p09", '"p09" is not a percentile. Use p1 to p99, such as p90.'],
  ["p90 up to", "After p90 up to, use a whole number."],
  ["p90 up to many", 'After p90 up to, use a whole number, not "many".'],
  ["p90 up to unlimited", 'After p90 up to, use a whole number, not "unlimited".'],
  ["25 up to 50", "Only a percentile is followed by up to: p90 up to 10."],
])("what is wrong with %j is: %s", (text, why) => {
  expect(parsePercentile(text, TURNS)).toBeUndefined();
  expect(whyNoPercentile(text, TURNS)).toBe(why);
});

test.each(["", "25", "abc", "per day", "pro", "unlimited"])("with %j no percentile is meant", (text) => {
  expect(whyNoPercentile(text, TURNS)).toBeUndefined();
});

test("what it is never above belongs to its amount, and what follows does not", () => {
  expect(saidAmount("p90 up to 50 stop grace 3")).toEqual({
    amount: "p90 up to 50",
    per: undefined,
    following: ["stop", "grace", "3"],
  });
  expect(saidAmount("p90 up to $5 per day")).toEqual({ amount: "p90 up to $5", per: "day", following: [] });
  expect(saidAmount("p90 up to").amount).toBe("p90 up to");
  expect(saidAmount("p90 stop")).toEqual({ amount: "p90", per: undefined, following: ["stop"] });
});
