import { expect, test } from "vitest";
import { countOf, whole } from "./number-text.ts";

test("thousands are set apart", () => {
  expect([0, 999, 1_000, 1_234_567.8].map(whole)).toEqual(["0", "999", "1,000", "1,234,568"]);
});

test("one is singular", () => {
  expect([0, 1, 1_200].map((count) => countOf(count, "line"))).toEqual(["0 lines", "1 line", "1,200 lines"]);
});
