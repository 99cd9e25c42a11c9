import { expect, test } from "vitest";
import { admitsMore, parseMaxJson, parseMaxText } from "./max-grammar.ts";

test.each([
  ["0", 0],
  ["1", 1],
  ["25", 25],
  ["007", 7],
  [" 7 ", 7],
  ["\t7\n", 7],
  ["9007199254740991", 9007199254740991],
  ["unlimited", "unlimited"],
  ["UNLIMITED", "unlimited"],
  [" Unlimited ", "unlimited"],
])("the text %j means %j", (text, value) => {
  expect(parseMaxText(text)).toBe(value);
});

test.each([
  "",
  " ",
  "abc",
  "-1",
  "+5",
  "1.5",
  "1e3",
  "0x10",
  "1_000",
  "٣",
  "７",
  "99999999999999999999",
  "Infinity",
  "NaN",
  "∞",
  "none",
  "5 5",
  "unlimited 5",
])("the text %j means no limit at all, not even unlimited", (text) => {
  expect(parseMaxText(text)).toBeUndefined();
});

test.each([
  [0, 0],
  [25, 25],
  [1e3, 1000],
  ["unlimited", "unlimited"],
])("the JSON value %j means %j", (json, value) => {
  expect(parseMaxJson(json)).toBe(value);
});

test.each([-1, 1.5, 1e20, null, true, [], [25], {}, "25", " 7 ", "abc", "", "Infinity"])(
  "the JSON value %j is refused",
  (json) => {
    expect(parseMaxJson(json)).toBeUndefined();
  },
);

test("unlimited admits more than any number, and nothing admits more than unlimited", () => {
  expect(admitsMore("unlimited", 25)).toBe(true);
  expect(admitsMore(26, 25)).toBe(true);
  expect(admitsMore(25, 25)).toBe(false);
  expect(admitsMore(24, 25)).toBe(false);
  expect(admitsMore("unlimited", "unlimited")).toBe(false);
  expect(admitsMore(25, "unlimited")).toBe(false);
});
