import { expect, test } from "vitest";
import { named } from "../../../test/helpers/named.ts";
import { questionAbout, questionFor } from "./question.ts";

test.each([
  ["turns", 1, 1, "Turn limit reached", "You've used 1 turn."],
  ["turns", 25, 25, "Turn limit reached", "You've used 25 turns."],
  ["steps", 40, 40, "Step limit reached", "The agent has made 40 tool calls."],
  ["tokens", 40_000, 30_000, "Token limit reached", "You've used 40k of 30k tokens."],
  ["cost", 5.123, 5, "Cost limit reached", "You've spent $5.12 of $5.00."],
  ["time", 372_000, 360_000, "Time limit reached", "The agent has worked for 6m 12s."],
  ["tools.bash", 1, 1, "Limit for bash reached", "bash was called once."],
  ["tools.bash", 5, 5, "Limit for bash reached", "bash was called 5 times."],
  ["repeats", 1, 1, "Repeat limit reached", "The agent repeated itself, and got the same result again."],
] as const)("at the limit of %s, with %d of %d: %s. %s", (limit, used, max, title, message) => {
  expect(questionAbout({ ...named(limit), used, max }, "menu")).toMatchObject({ title, message });
});

test.for([
  ["turns", undefined, "turn limit reached", "It has used 3 turns. Continue?"],
  [
    "cost",
    1,
    "cost limit reached",
    "You've spent $3.00 of $3.00. This sub-agent took $1.00 of it. Continue?",
  ],
  // It took some of the rounds before, too.
  [
    "cost",
    5,
    "cost limit reached",
    "You've spent $3.00 of $3.00. This sub-agent took $5.00 in all. Continue?",
  ],
  [
    "turns per session",
    undefined,
    "turn limit per session reached",
    "You've used 3 turns in this session. Continue?",
  ],
  ["tools.bash", undefined, "limit for bash reached", "bash was called 3 times. Continue?"],
] as const)(
  "for a sub-agent at the limit of %s, the question says which it is",
  ([limit, took, reached, message]) => {
    const { title, ...question } = questionFor(
      { task: "Look\ninto it", took },
      { ...named(limit), used: 3, max: 3 },
      "confirm",
    );
    expect(title).toBe(`Sub-agent "Look into it": ${reached}`);
    expect(question.message).toBe(message);
  },
);

test("in a menu it says so, too", () => {
  const asked = { ...named("cost"), used: 3, max: 3 };
  expect(questionFor({ task: "Look", took: 1 }, asked, "menu").message).toBe(
    "You've spent $3.00 of $3.00. This sub-agent took $1.00 of it.",
  );
});

test.for([
  ["turns", "10", 10],
  ["tools.bash", "3", 3],
  ["tokens", "50k", 50_000],
  ["cost", "$0.50", 0.5],
  ["cost", "2", 2],
  ["time", "90s", 90_000],
  ["time", "5", 300_000],
] as const)("of %s, %s is an amount", ([limit, text, amount]) => {
  expect(questionAbout({ ...named(limit), used: 1, max: 1 }, "menu").parseAmount(text)).toBe(amount);
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
  expect(questionAbout({ ...named(limit), used: 1, max: 1 }, "menu").parseAmount(text)).toBeUndefined();
});

test("yes or no is asked with a question mark", () => {
  const { message, entries } = questionAbout({ ...named("turns"), used: 25, max: 25 }, "confirm");
  expect(message).toBe("You've used 25 turns. Continue?");
  expect(entries).toEqual([
    { label: "Yes · another 25 turns", reply: true },
    { label: "No", reply: false },
  ]);
});

const labels = (...[boundary]: Parameters<typeof questionAbout>) =>
  questionAbout(boundary, "confirm").entries.map(({ label }) => label);

test("what a yes allows stands beside it, for money and periods also a smaller amount", () => {
  const at = (limit: string, max: number) => labels({ ...named(limit), used: max, max }, "confirm");
  expect(at("tokens", 200_000)).toEqual(["Yes · another 200k tokens", "No"]);
  expect(at("time", 600_000)).toEqual(["Yes · another 10m", "No"]);
  expect(at("tools.bash", 1)).toEqual(["Yes · another 1 bash call", "No"]);
  expect(at("cost", 5)).toEqual(["Yes · another $5.00", "Yes · another $1.00", "No"]);
  expect(at("turns per session", 100)).toEqual([
    "Yes · another 100 turns in this session",
    "Yes · another 25 turns in this session",
    "No",
  ]);
  expect(at("cost per day", 20)).toEqual([
    "Yes · another $20.00 today, for all sessions",
    "Yes · another $5.00 today, for all sessions",
    "No",
  ]);
});

test("a yes allows what is set, whatever was granted before; of a limit of 0, or without numbers, it says no more", () => {
  const turns = { ...named("turns"), used: 3, max: 3 };
  expect(labels({ ...turns, round: 25 }, "confirm")[0]).toBe("Yes · another 25 turns");
  expect(labels({ ...turns, used: 0, max: 0 }, "confirm")).toEqual(["Yes", "No"]);
  expect(labels({ ...named("cost"), used: 0, max: 5, unpriced: true }, "confirm")).toEqual(["Yes", "No"]);
});
