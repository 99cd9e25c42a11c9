import { expect, test } from "vitest";
import { widgetLine } from "../../src/display/counters.ts";
import { reachedText, remedyText } from "../../src/display/limit-words.ts";
import { questionAbout } from "../../src/display/question/question.ts";
import { summary } from "../../src/display/summary-line.ts";
import { named } from "../helpers/named.ts";

test.for([
  ["turns per day", 100, 100, "Turn limit per day reached", "You've used 100 turns today."],
  ["turns per session", 1, 1, "Turn limit per session reached", "You've used 1 turn in this session."],
  ["steps per week", 40, 40, "Step limit per week reached", "The agent has made 40 tool calls this week."],
  [
    "tokens per month",
    2_000_000,
    2_000_000,
    "Token limit per month reached",
    "You've used 2m tokens this month.",
  ],
  ["cost per day", 20, 20, "Cost limit per day reached", "You've used $20.00 today."],
  ["cost per session", 20, 20, "Cost limit per session reached", "You've used $20.00 in this session."],
  ["time per day", 7_200_000, 7_200_000, "Time limit per day reached", "The agent has worked for 2h today."],
] as const)("at %s, with %d of %d: %s. %s", ([limit, used, max, title, message]) => {
  expect(questionAbout({ ...named(limit), used, max }, "menu")).toMatchObject({ title, message });
  expect(questionAbout({ ...named(limit), used, max }, "confirm").message).toBe(`${message} Continue?`);
});

test.for([
  ["cost per session", "No limit in this session"],
  ["cost per day", "No limit today"],
  ["cost per week", "No limit this week"],
  ["cost per month", "No limit this month"],
  ["cost", "No limit for this run"],
] as const)("the menu of %s says: %s", ([limit, label]) => {
  const { entries } = questionAbout({ ...named(limit), used: 1, max: 1 }, "menu");
  expect(entries.find(({ reply }) => reply === "unlimited")?.label).toBe(label);
});

test("the widget says for when it is", () => {
  const standings = [
    { ...named("turns"), used: 3, max: 25 },
    { ...named("turns per session"), used: 12, max: 100 },
    { ...named("cost per day"), used: 1.2, max: 20 },
    { ...named("time per week"), used: 3_600_000, max: 7_200_000 },
  ] as const;
  expect(widgetLine(standings, 200, { fg: (_colour, text) => text })).toBe(
    " Turns: 3/25 · Turns in this session: 12/100 · Cost today: $1.20/$20.00 · Time this week: 1h/2h",
  );
});

test("a stop names the period, and where more of it can be allowed", () => {
  const boundary = { ...named("cost per day"), used: 20.1, max: 20 };
  expect(reachedText(boundary)).toBe("Cost limit per day reached ($20.10/$20.00).");
  expect(remedyText(boundary)).toBe(
    'To allow more per day, use --max-cost, PI_MAX_COST or "cost" in turn-limit.json.',
  );
  const ended = { outcome: "stopped", turns: 2, steps: 1, ...named("cost per day") } as const;
  expect(summary(ended as Parameters<typeof summary>[0])).toBe(
    "Stopped by the cost limit per day · 2 turns · 1 step",
  );
});
