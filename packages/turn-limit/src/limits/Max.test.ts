import { expect, test } from "vitest";
import { isReached, requireCount, requireMax } from "./Max.ts";

test("a limit of 5 is not reached while fewer than 5 were used", () => {
  expect(isReached(0, 5)).toBe(false);
  expect(isReached(4, 5)).toBe(false);
});

test("a limit of 5 is reached once 5 were used", () => {
  expect(isReached(5, 5)).toBe(true);
});

test("a limit stays reached when more were used than it covers", () => {
  expect(isReached(6, 5)).toBe(true);
});

test("a limit of 0 is reached before anything was used", () => {
  expect(isReached(0, 0)).toBe(true);
});

test("unlimited is never reached", () => {
  expect(isReached(Number.MAX_SAFE_INTEGER, "unlimited")).toBe(false);
});

test.each([0, 1, 25, Number.MAX_SAFE_INTEGER, "unlimited"])("%s is a limit", (value) => {
  expect(requireMax("turns.max", value)).toBe(value);
});

test.each([
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.MAX_SAFE_INTEGER + 1,
  "5",
  "",
  "UNLIMITED",
  null,
  undefined,
  true,
  5n,
  [5],
])("%s is not a limit, least of all unlimited", (value) => {
  expect(() => requireMax("turns.max", value)).toThrow(
    /^turns\.max must be a whole number from 0 on, or "unlimited", not /,
  );
});

test("a counter can only be a whole number from 0 on", () => {
  expect(requireCount("turns.used", 3)).toBe(3);
  for (const value of [-1, 0.5, Number.NaN, "3", "unlimited", undefined]) {
    expect(() => requireCount("turns.used", value)).toThrow(
      /^turns\.used must be a whole number from 0 on, not /,
    );
  }
});
