import { expect, test } from "vitest";
import { countOf, dollars, tokens } from "./number-text.ts";

test("tokens are short", () => {
  expect([0, 950, 999, 1_000, 12_345, 999_949, 999_950, 1_500_000].map(tokens)).toEqual([
    ...["0", "950", "999", "1.0k", "12.3k", "999.9k", "1.0m", "1.5m"],
  ]);
});

test("small amounts of dollars do not read as none", () => {
  expect([0, 0.00001, 0.0042, 0.01, 1.5].map(dollars)).toEqual([
    "$0.00",
    "<$0.0001",
    "$0.0042",
    "$0.01",
    "$1.50",
  ]);
});

test("one is singular", () => {
  expect([0, 1, 1_200].map((count) => countOf(count, "line"))).toEqual(["0 lines", "1 line", "1,200 lines"]);
});
