import fc from "fast-check";
import { expect, test } from "vitest";
import { amountOf, DOLLARS, DURATION, TOKENS } from "./amounts.ts";

const NOT_A_NUMBER = [
  "",
  " ",
  "abc",
  "-1",
  "+5",
  "1e3",
  "0x10",
  "1_000",
  "1,000",
  "٣",
  "７",
  "NaN",
  "Infinity",
];

test.each([
  ["0", 0],
  ["200000", 200_000],
  ["007", 7],
  [" 200K ", 200_000],
  ["1.5m", 1_500_000],
  ["1.5M", 1_500_000],
  ["1.5k", 1_500],
  ["1.005k", 1_005],
  ["1.5000k", 1_500],
  ["1.000001m", 1_000_001],
  ["0.001k", 1],
  ["0k", 0],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ["9007199254740.991k", Number.MAX_SAFE_INTEGER],
])("%j is %d tokens", (text, tokens) => {
  expect(TOKENS.parse(text)).toBe(tokens);
});

test.each([
  ...NOT_A_NUMBER,
  "1.5",
  "1.0",
  "1.0005k",
  "1.0000001m",
  "k",
  ".5k",
  "5.k",
  "1.5.5k",
  "-5k",
  "5kk",
  "5km",
  "5g",
  "5 k",
  "٣k",
  "$5",
  "unlimited",
  "9007199254740992",
  "9007199254741k",
  "99999999999999999999m",
])("%j is not a number of tokens", (text) => {
  expect(TOKENS.parse(text)).toBeUndefined();
});

test.each([
  ["0", 0],
  ["5", 5],
  ["$5", 5],
  [" $0.50 ", 0.5],
  ["1.5", 1.5],
  ["$007.10", 7.1],
])("%j is %d dollars", (text, dollars) => {
  expect(DOLLARS.parse(text)).toBe(dollars);
});

test.each([
  ...NOT_A_NUMBER,
  "$",
  "$$5",
  "$-1",
  "-$1",
  "$ 5",
  "5$",
  "$.5",
  "$5.",
  "$1.2.3",
  "$1e3",
  "$٣",
  "€5",
  "5k",
  "unlimited",
  "9".repeat(400),
])("%j is not a number of dollars", (text) => {
  expect(DOLLARS.parse(text)).toBeUndefined();
});

test.each([
  ["0s", 0],
  ["90s", 90_000],
  ["10m", 600_000],
  [" 10M ", 600_000],
  ["2h", 7_200_000],
  ["1h30m", 5_400_000],
  ["1h30m15s", 5_415_000],
  ["1h15s", 3_615_000],
  ["1h90m", 9_000_000],
  ["2501999792h", 9_007_199_251_200_000],
])("%j is %d milliseconds", (text, milliseconds) => {
  expect(DURATION.parse(text)).toBe(milliseconds);
});

test.each([
  ...NOT_A_NUMBER,
  "0",
  "600",
  "m",
  "h30m",
  "10m10m",
  "30m1h",
  "15s1m",
  "1.5h",
  "-10m",
  "1h 30m",
  "1h30",
  "1d",
  "500ms",
  "٣m",
  "10m!",
  "unlimited",
  "2501999793h",
  "99999999999999999999s",
  `${"9".repeat(400)}h`,
])("%j is no time", (text) => {
  expect(DURATION.parse(text)).toBeUndefined();
});

test("what is written reads as the same amount", () => {
  const round = fc.integer({ min: 0, max: 1_000_000 }).map((thousands) => thousands * 100);
  fc.assert(fc.property(fc.oneof(fc.maxSafeNat(), round), (n) => TOKENS.parse(TOKENS.format(n)) === n));
  const cents = fc.nat().map((count) => count / 100);
  const anyDollars = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
  fc.assert(fc.property(fc.oneof(anyDollars, cents), (n) => DOLLARS.parse(DOLLARS.format(n)) === n));
  const seconds = fc.integer({ min: 0, max: 9_007_199_254_740 }).map((count) => count * 1_000);
  fc.assert(fc.property(seconds, (n) => DURATION.parse(DURATION.format(n)) === n));
});

test("the amounts of a limit are those of its measure, and plain numbers of others", () => {
  expect(amountOf({ kind: "tokens", pool: "research" })).toBe(TOKENS);
  expect(amountOf({ kind: "cost", per: "day" })).toBe(DOLLARS);
  expect(amountOf({ kind: "time" })).toBe(DURATION);
  expect(amountOf({ kind: "turns" }).allowed).toBe("a whole number of 0 or more");
  expect(amountOf({ kind: "steps" }).allowed).toBe("a whole number of 1 or more");
  expect(amountOf({ kind: "tools", tool: "cost" }).parse("$5")).toBeUndefined();
  expect(amountOf({ kind: "custom" }).format(1.5)).toBe("1.5");
});
