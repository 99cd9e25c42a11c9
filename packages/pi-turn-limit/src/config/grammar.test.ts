import { expect, test } from "vitest";
import { parseGrace, parseSteps, parseTurns } from "./grammar.ts";

test.each([
  ["0", { turns: 0 }],
  ["25", { turns: 25 }],
  ["007", { turns: 7 }],
  [" 7 ", { turns: 7 }],
  ["\t7\n", { turns: 7 }],
  ["9007199254740991", { turns: 9007199254740991 }],
  ["unlimited", { turns: "unlimited" }],
  ["UNLIMITED", { turns: "unlimited" }],
  [" Unlimited ", { turns: "unlimited" }],
  ["25 grace 3", { turns: 25, grace: 3 }],
  ["25  GRACE  0", { turns: 25, grace: 0 }],
  ["unlimited grace 2", { turns: "unlimited", grace: 2 }],
])("the turn limit %j means %j", (text, claims) => {
  expect(parseTurns(text)).toEqual(claims);
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
  "25 grace",
  "25 grace x",
  "25 grace -1",
  "25 grace 3 4",
  "grace 3",
  "25 grase 3",
])("the turn limit %j means nothing, not even unlimited", (text) => {
  expect(parseTurns(text)).toBeUndefined();
});

test.each([
  ["0", { grace: 0 }],
  [" 3 ", { grace: 3 }],
])("the grace %j means %j", (text, claims) => {
  expect(parseGrace(text)).toEqual(claims);
});

test.each(["", "-1", "1.5", "abc", "unlimited", "3 4"])("the grace %j is refused", (text) => {
  expect(parseGrace(text)).toBeUndefined();
});

test.each([
  ["1", { steps: { max: 1, onExhausted: "raise" } }],
  [" 40 ", { steps: { max: 40, onExhausted: "raise" } }],
  ["40 raise", { steps: { max: 40, onExhausted: "raise" } }],
  ["40 Synthesize", { steps: { max: 40, onExhausted: "synthesize" } }],
  ["UNLIMITED", { steps: "unlimited" }],
])("the step limit %j means %j", (text, claims) => {
  expect(parseSteps(text)).toEqual(claims);
});

test.each([
  "",
  "0",
  "-1",
  "1.5",
  "1e3",
  "٣",
  "abc",
  "Infinity",
  "99999999999999999999",
  "40 explode",
  "40 raise now",
  "unlimited raise",
  "synthesize",
])("the step limit %j is refused", (text) => {
  expect(parseSteps(text)).toBeUndefined();
});
