import { expect, test } from "vitest";
import { formatLimit, formatPolicy } from "../../src/settings/format-limit.ts";
import { parseLimit, parseWholeLimit, refusalInSession, takenBackBy } from "../../src/settings/limit-text.ts";
import { completed } from "../../src/settings/settings.ts";
import { limitCalled } from "../helpers/named.ts";

test.for([
  ["cost", "$20 per day", { "cost per day": { max: 20 } }],
  ["cost", "unlimited per day", { "cost per day": { max: "unlimited" } }],
  ["turns", "100  PER  Session", { "turns per session": { max: 100 } }],
  ["tokens", "2m per week", { "tokens per week": { max: 2_000_000 } }],
  ["steps", "40 per month refuse", { "steps per month": { max: 40, onExhausted: "refuse" } }],
  ["time", "2h per month stop", { "time per month": { max: 7_200_000, onExhausted: "stop" } }],
  ["cost", "$2, $20 per day", { cost: { max: 2 }, "cost per day": { max: 20 } }],
  ["cost", "$2,$20 per day", { cost: { max: 2 }, "cost per day": { max: 20 } }],
  [
    "cost",
    "$20 per day stop , $2 reserve $1, unlimited per week",
    {
      "cost per day": { max: 20, onExhausted: "stop" },
      cost: { max: 2, reserve: 1 },
      "cost per week": { max: "unlimited" },
    },
  ],
  ["cost per day", "$30", { "cost per day": { max: 30 } }],
  ["cost per day", "$30 per day stop", { "cost per day": { max: 30, onExhausted: "stop" } }],
] as const)("of %s, %j means %j", ([limit, text, settings]) => {
  expect(parseLimit(limitCalled(limit), text)).toEqual(settings);
});

test.for([
  ["cost", "$20 per"],
  ["cost", "$20 per year"],
  ["cost", "$20 a day"],
  ["cost", "$20 day"],
  ["cost", "per day"],
  ["cost", "$20 stop per day"],
  ["cost", "$20 per day per day"],
  ["cost", "$20 per day reserve $1"],
  ["turns", "100 per day grace 3"],
  ["turns", "1,000 per day"],
  ["turns", "25,"],
  ["cost", "$2, $3"],
  ["cost", "$2 per day, $3 per day"],
  ["cost", "$2, lots per day"],
  ["cost", "unlimited per day stop"],
  ["cost per day", "$20 per week"],
  ["cost per day", "$20, $30"],
  ["steps", "0 per day"],
  ["tools.bash", "5 per day"],
  ["repeats", "5 per day"],
] as const)("of %s, %j is refused", ([limit, text]) => {
  expect(parseLimit(limitCalled(limit), text)).toBeUndefined();
  expect(parseWholeLimit(limitCalled(limit), text)).toBeUndefined();
  expect(refusalInSession(limitCalled(limit), text)).toMatch(
    /^Invalid (\w+ limit|limit for bash)( per day)?\. ./,
  );
});

test.for([
  ["turns", "abc", 'Use a whole number, or unlimited, not "abc".'],
  ["turns", "25 stopp", 'Write stop, not "stopp".'],
  ["turns", "25 explode", 'After 25, use ask, stop, raise, synthesize, extend, grace or per, not "explode".'],
  ["turns", "25 stop stop", 'After 25 stop, use extend or grace, not "stop".'],
  ["turns", "25 grace", "grace needs a whole number."],
  ["turns", "25 grace x", 'grace needs a whole number, not "x".'],
  ["turns", "25 per", "per needs a period: session, day, week or month."],
  ["turns", "25 per dya", 'Write per day, not "per dya".'],
  ["turns", "1,000 per day", '"1,000 per day" has commas: write 1000 per day.'],
  ["turns", "unlimited stop", "Nothing can follow unlimited, except a period."],
  ["turns", "default 3", "Nothing can follow default, except a period."],
  ["turns", "default per year", '"year" is not a period. Use session, day, week or month.'],
  ["steps", "40 raise now", "Nothing can follow 40 raise."],
  ["cost", "$5/day", 'Write $5 per day, not "$5/day".'],
  ["cost", "$5, $20/day", 'Write $20 per day, not "$20/day".'],
  ["cost", "$20 stop per day", 'Write $20 per day stop, not "$20 stop per day".'],
  ["cost", "$20 per year", '"year" is not a period. Use session, day, week or month.'],
  ["cost", "$2, $3", "Use only one per prompt."],
  ["time", "10", '"10" needs a unit: 10s, 10m or 10h.'],
  ["tools.bash", "5 per day", "The limit for bash has no period."],
  ["repeats", "5 per day", "The repeat limit has no period."],
] as const)("of %s, what is wrong with %j is: %s", ([limit, text, why]) => {
  expect(refusalInSession(limitCalled(limit), text)).toBe(
    `Invalid ${limit === "tools.bash" ? "limit for bash" : `${limit.replace(/s$/, "")} limit`}. ${why}`,
  );
});

test("a refusal says which limit it was to be, and why it cannot be that", () => {
  const refusal = (limit: string, text: string) => refusalInSession(limitCalled(limit), text);
  expect(refusal("cost", "$20 per day reserve $1")).toBe(
    "Invalid cost limit per day. A limit per day has no reserve.",
  );
  expect(refusal("turns", "9 per week grace 3")).toBe(
    "Invalid turn limit per week. A limit per week has no grace.",
  );
  expect(refusal("cost", "$2 per day, $3 per day")).toBe("Invalid cost limit per day. Use only one per day.");
  expect(refusal("cost per day", "$20 per week")).toBe(
    "Invalid cost limit per day. This is the limit per day. For another period, use /cost-limit.",
  );
});

test("a text that stands for the whole limit sets back only what it is about", () => {
  expect(parseWholeLimit(limitCalled("cost"), "$20 per day")).toEqual({
    "cost per day": { max: 20, onExhausted: "ask" },
  });
});

test("a limit for a period is written as it would be said", () => {
  const values = completed({ "cost per day": { max: 20, onExhausted: "stop" } });
  const limit = limitCalled("cost per day");
  expect(formatLimit(limit, values)).toBe("$20.00 per day stop");
  expect(formatPolicy(limit, values)).toBe("stop");
  expect(parseLimit(limit, formatLimit(limit, values))).toEqual({
    "cost per day": { max: 20, onExhausted: "stop" },
  });
  expect(formatLimit(limit, {})).toBe("unlimited per day");
});

test("the word default takes back one of them", () => {
  const takenBack = (limit: string, text: string) => takenBackBy(limitCalled(limit), text)?.key;
  expect(takenBack("cost", "default")).toBe("cost");
  expect(takenBack("cost", " Default PER day ")).toBe("cost per day");
  expect(takenBack("cost per day", "default")).toBe("cost per day");
  for (const text of ["default per year", "default day", "$5", "default per day stop"])
    expect(takenBack("cost", text)).toBeUndefined();
});
