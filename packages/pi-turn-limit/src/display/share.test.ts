import { expect, test } from "vitest";
import { bar, precisePercentOf, shareOf, urgencyOf } from "./share.ts";

test("a limit of 0 is used up, and where there is no limit there is no share", () => {
  expect(shareOf({ used: 3, max: 4 })).toBe(0.75);
  expect(shareOf({ used: 0, max: 0 })).toBe(1);
  expect(shareOf({ used: 99, max: "unlimited" })).toBeUndefined();
});

test("a limit is nearly used up at 80 %", () => {
  expect([undefined, 0.79, 0.8, 0.99, 1, 2].map(urgencyOf)).toEqual([
    ...["success", "success", "warning", "warning", "error", "error"],
  ]);
});

test("80 % of a few cents are 80 %", () => {
  expect([4, 8, 12, 16].map((cents) => urgencyOf(shareOf({ used: cents / 100, max: cents / 80 })))).toEqual(
    Array(4).fill("warning"),
  );
  expect(urgencyOf(shareOf({ used: 0.04, max: 0.05 }))).toBe("warning");
});

test("a share reads as none or all only if it is", () => {
  expect([0, 0.0001, 0.5, 0.9999, 1].map(precisePercentOf)).toEqual([
    "0.0 %",
    "<0.1 %",
    "50.0 %",
    ">99.9 %",
    "100.0 %",
  ]);
});

test("a bar is drawn in eighths, and the smallest share can be seen", () => {
  expect([0, 0.0001, 0.5, 0.5625, 1].map((share) => bar(share, 2))).toEqual(["", "▏", "█", "█▏", "██"]);
});
