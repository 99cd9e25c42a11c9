import { expect, test } from "vitest";
import { wordsFor } from "./limit-words.ts";

test.for([
  ["turns", "10", 10],
  ["tools.bash", "3", 3],
  ["tokens", "50k", 50_000],
  ["cost", "$0.50", 0.5],
  ["cost", "2", 2],
  ["time", "90s", 90_000],
  ["time", "5", 300_000],
] as const)("of %s, %s is an amount", ([limit, text, amount]) => {
  expect(wordsFor(limit).parseAmount(text)).toBe(amount);
});

test.for([
  ["turns", "0"],
  ["turns", "1.5"],
  ["turns", "99999999999999999999"],
  ["tokens", "0k"],
  ["cost", "$0"],
  ["time", "0"],
  ["time", "5x"],
  ["repeats", "-1"],
] as const)("of %s, %s is none", ([limit, text]) => {
  expect(wordsFor(limit).parseAmount(text)).toBeUndefined();
});
