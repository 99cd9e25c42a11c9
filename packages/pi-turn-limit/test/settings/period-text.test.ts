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
  expect(refusalInSession(limitCalled(limit), text)).toContain(" is not a ");
});

test("a refusal says which limit it was to be, and why it cannot be that", () => {
  const refusal = (limit: string, text: string) => refusalInSession(limitCalled(limit), text);
  expect(refusal("cost", "$20 per day reserve $1")).toBe(
    '"$20 per day reserve $1" is not a cost limit per day. Use a number of US dollars such as 5, $5 or $0.50, or ' +
      'unlimited; a policy (ask, stop, raise or synthesize) may follow "per day" ($5 per day stop); a limit per day ' +
      "has no reserve; or default, for what is configured.",
  );
  expect(refusal("turns", "9 per week grace 3")).toContain("; a limit per week has no grace; ");
  expect(refusal("cost", "$20 per year")).toContain(
    "; for a period, add per session, day, week or month; several with commas ($5, $20 per day); ",
  );
  expect(refusal("tools.bash", "5 per day")).toContain("; the limit for bash has no period; ");
  expect(refusal("repeats", "5 per day")).toContain("; the repeat limit has no period; ");
  expect(refusal("cost", "$2, $3")).toMatch(/^"\$2, \$3" is not a cost limit\. Use only one per prompt; /);
  expect(refusal("cost", "$2 per day, $3 per day")).toMatch(
    / is not a cost limit per day\. Use only one per day; /,
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
