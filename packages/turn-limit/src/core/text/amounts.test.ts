import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatDollars,
  formatDuration,
  formatTokens,
  parseDollars,
  parseDuration,
  parseTokens,
} from "./amounts.ts";

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
  expect(parseTokens(text)).toBe(tokens);
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
  expect(parseTokens(text)).toBeUndefined();
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
  ["0", 0],
  ["5", 5],
  ["$5", 5],
  [" $0.50 ", 0.5],
  ["1.5", 1.5],
  ["$007.10", 7.1],
])("%j is %d dollars", (text, dollars) => {
  expect(parseDollars(text)).toBe(dollars);
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
  expect(parseDollars(text)).toBeUndefined();
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
  expect(parseDuration(text)).toBe(milliseconds);
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
  expect(parseDuration(text)).toBeUndefined();
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

test("what is written reads as the same amount", () => {
  const round = fc.integer({ min: 0, max: 1_000_000 }).map((thousands) => thousands * 100);
  fc.assert(fc.property(fc.oneof(fc.maxSafeNat(), round), (n) => parseTokens(formatTokens(n)) === n));
  const cents = fc.nat().map((count) => count / 100);
  const anyDollars = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
  fc.assert(fc.property(fc.oneof(anyDollars, cents), (n) => parseDollars(formatDollars(n)) === n));
  const seconds = fc.integer({ min: 0, max: 9_007_199_254_740 }).map((count) => count * 1_000);
  fc.assert(fc.property(seconds, (n) => parseDuration(formatDuration(n)) === n));
});
