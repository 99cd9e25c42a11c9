import { afterEach, expect, test, vi } from "vitest";
import { checkTurnLimit, DEFAULT_MAX_TURNS, getMaxTurns } from "./turn-limit.ts";

afterEach(() => vi.unstubAllEnvs());

test("the default is 25 turns", () => {
  vi.stubEnv("PI_MAX_TURNS", undefined);
  expect(DEFAULT_MAX_TURNS).toBe(25);
  expect(getMaxTurns()).toBe(25);
});

test.each([
  ["5", 5],
  ["0", 0],
  ["unlimited", "unlimited"],
  ["abc", 25],
  ["-1", 25],
  ["", 25],
])("PI_MAX_TURNS=%s means %s", (text, value) => {
  vi.stubEnv("PI_MAX_TURNS", text);
  expect(getMaxTurns()).toBe(value);
});

test("the boundary is where the used turns use up the limit, not before and not only exactly there", () => {
  expect(checkTurnLimit(4, 5)).toBe(false);
  expect(checkTurnLimit(5, 5)).toBe(true);
  expect(checkTurnLimit(6, 5)).toBe(true);
  expect(checkTurnLimit(0, 0)).toBe(true);
  expect(checkTurnLimit(1_000_000, "unlimited")).toBe(false);
});
