import { expect, test } from "vitest";
import { nearestWord } from "./nearest-word.ts";

const words = ["turns", "steps", "tokens", "cost", "time", "tools", "repeats"];

test.for([
  ["cots", "cost"],
  ["costs", "cost"],
  ["Cost", "cost"],
  ["tool", "tools"],
  ["tokons", "tokens"],
  ["tmie", "time"],
  ["otkens", "tokens"],
  ["maxCost", undefined],
  ["soct", undefined],
  ["", undefined],
])("%s was probably meant as %s", ([word = "", meant]) => {
  expect(nearestWord(word, words)).toBe(meant);
});
