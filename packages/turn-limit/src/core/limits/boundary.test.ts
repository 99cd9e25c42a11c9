import { expect, test } from "vitest";
import { count } from "../checks.ts";
import { amountMax, isReached, wholeMax } from "./boundary.ts";

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
  expect(wholeMax()(value, "turns.max")).toBe(value);
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
  expect(() => wholeMax()(value, "turns.max")).toThrow(
    /^turns\.max must be a whole number of 0 or more, or "unlimited", not /,
  );
});

test("a counter can only be a whole number of 0 or more", () => {
  expect(count()(3, "turns.used")).toBe(3);
  for (const value of [-1, 0.5, Number.NaN, "3", "unlimited", undefined]) {
    expect(() => count()(value, "turns.used")).toThrow(
      /^turns\.used must be a whole number of 0 or more, not /,
    );
  }
});

test("a limit of tool calls can be of 1 or more", () => {
  expect(wholeMax(1)(1, "steps.max")).toBe(1);
  expect(() => wholeMax(1)(0, "steps.max")).toThrow(
    'steps.max must be a whole number of 1 or more, or "unlimited", not 0',
  );
});

test("dollars and milliseconds have parts", () => {
  for (const value of [0, 0.25, 1e9, "unlimited"]) expect(amountMax(value, "cost.max")).toBe(value);
  for (const value of [-0.01, Number.NaN, Number.POSITIVE_INFINITY, "5", null, undefined])
    expect(() => amountMax(value, "cost.max")).toThrow(
      /^cost\.max must be a number of 0 or more, or "unlimited"/,
    );
});
