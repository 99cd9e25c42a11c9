import { expect, test } from "vitest";
import { counted, DOLLARS, DURATION, TOKENS } from "./amounts.ts";
import { whyNoAmount, whyNoPeriod, writeInstead } from "./refused-amounts.ts";

const AMOUNTS = { turns: counted(0), steps: counted(1), tokens: TOKENS, cost: DOLLARS, time: DURATION };

test.each([
  ["turns", "abc", 'Use a whole number, or unlimited, not "abc".'],
  ["turns", "", 'Use a whole number, or unlimited, not "".'],
  ["turns", "1.5", 'Use a whole number, or unlimited, not "1.5".'],
  ["turns", "1e3", 'Use a whole number, or unlimited, not "1e3".'],
  ["turns", "-1", '"-1" is below 0. Use 0 or more, or unlimited.'],
  ["steps", "0", '"0" is below 1. Use 1 or more, or unlimited.'],
  [
    "turns",
    "99999999999999999999",
    '"99999999999999999999" is too large. Use a smaller number, or unlimited.',
  ],
  ["turns", "∞", 'Write unlimited, not "∞".'],
  ["turns", "None", 'Write unlimited, not "None".'],
  ["turns", "25 turns", 'Write 25, not "25 turns".'],
  ["turns", "x".repeat(90), `Use a whole number, or unlimited, not "${"x".repeat(40)}…".`],
  ["tokens", "1,000,000", '"1,000,000" has commas: write 1000000.'],
  ["tokens", "1_000", '"1_000" has separators: write 1000.'],
  ["tokens", "1.5", '"1.5" needs a unit: 1.5k or 1.5m.'],
  ["tokens", "200 K", 'Write 200k, not "200 K".'],
  ["tokens", "2 million tokens", 'Write 2m, not "2 million tokens".'],
  ["tokens", "1,5m", 'Use a number of tokens such as 200k, or unlimited, not "1,5m".'],
  ["cost", "$-1", '"$-1" is below 0. Use 0 or more, or unlimited.'],
  ["cost", "5$", 'Write $5, not "5$".'],
  ["cost", "$ 5", 'Write $5, not "$ 5".'],
  ["cost", "USD 2.50", 'Write $2.50, not "USD 2.50".'],
  ["cost", "5 dollars", 'Write $5, not "5 dollars".'],
  ["cost", "$.5", 'Write $0.5, not "$.5".'],
  ["cost", "$5.", 'Write $5, not "$5.".'],
  ["cost", "€5", 'Use a number of US dollars such as $5, or unlimited, not "€5".'],
  ["time", "10", '"10" needs a unit: 10s, 10m or 10h.'],
  ["time", "10 min", 'Write 10m, not "10 min".'],
  ["time", "2 hours", 'Write 2h, not "2 hours".'],
  ["time", "1h 30m", 'Write 1h30m, not "1h 30m".'],
  ["time", "1.5h", 'Write 1h30m, not "1.5h".'],
  ["time", "1.01m", 'Use a time such as 10m, or unlimited, not "1.01m".'],
] as const)("of %s, what is wrong with %j is: %s", (kind, text, why) => {
  expect(whyNoAmount(text, AMOUNTS[kind], ["unlimited"])).toBe(why);
});

test("where no other word is accepted, none is offered", () => {
  expect(whyNoAmount("many", AMOUNTS.turns)).toBe('Use a whole number, not "many".');
  expect(whyNoAmount("∞", AMOUNTS.turns)).toBe('Use a whole number, not "∞".');
});

test.each([
  ["", "per needs a period: day, week or month."],
  ["dya", 'Write per day, not "per dya".'],
  ["fortnight", '"fortnight" is not a period. Use day, week or month.'],
])("what is wrong with a limit per %j is: %s", (word, why) => {
  expect(whyNoPeriod(word, ["day", "week", "month"])).toBe(why);
});

test.each([
  "$5/day",
  "$5 / day",
  "$5 a day",
  "$5 daily",
  "$5 every day",
  "$5 day",
  "$5 per days",
  "5 USD/day",
])("%j is 5 dollars per day", (text) => {
  expect(writeInstead(text, (meant) => meant === "$5 per day")).toBe(
    `Write $5 per day, not ${JSON.stringify(text)}.`,
  );
});

test("what is not accepted either is not offered", () => {
  expect(writeInstead("$5/day", () => false)).toBeUndefined();
  expect(writeInstead("$5 per day", () => true)).toBeUndefined();
});
