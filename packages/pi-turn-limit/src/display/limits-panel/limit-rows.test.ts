import type { Boundary } from "turn-limit";
import { expect, test } from "vitest";
import { named } from "../../../test/helpers/named.ts";
import type { LimitValues } from "../../limits/pi-limits.ts";
import { completed, type Settings } from "../../settings/settings.ts";
import { limitRows } from "./limit-rows.ts";

const totals = {
  turns: 2,
  requests: 2,
  steps: 3,
  time: 45_000,
  input: 1_000,
  output: 500,
  cacheRead: 9,
  cacheWrite: 9,
  cost: 0.25,
  calls: { bash: 3 },
};

/** In place of a percentile, 34. */
function chosenOf(settings: Settings): Settings {
  const { turns } = settings as { turns?: { max?: unknown } };
  return typeof turns?.max === "string" ? { turns: { ...turns, max: 34 } } : {};
}

/** The rows for these settings, and what was chosen in them. */
function rowsFor(settings: Settings, further: Boundary[] = []) {
  const chosen: Settings[] = [];
  const takenBack: string[] = [];
  const again: string[] = [];
  const rows = limitRows(
    {
      values: completed({ ...settings, ...chosenOf(settings) }) as LimitValues,
      wanted: completed(settings),
      chooseAgain: async () => void again.push("again"),
      isChoosing: ({ key }) => key === "turns",
      placeOf: (path, command) => ({ name: `${path.join(".")} /${command}`, file: "turn-limit.json" }),
      choose: (settings) => void chosen.push(settings),
      takeBack: (limit) => void takenBack.push(limit.key),
      saved: () => {},
    },
    {
      standings: [{ ...named("turns"), used: 2, max: 4 }, ...further],
      totals,
      agents: [{ id: "1", name: "Look into it", tokens: 100, cost: 0.2, isPresent: false }],
    },
    () => {},
  );
  return { rows, chosen, takenBack, again, row: (key: string) => rows.find((row) => row.key === key) };
}

test("what agents took of a budget is under its row", () => {
  const { row } = rowsFor({}, [{ ...named("cost"), used: 0.25, max: 5 }]);
  expect(row("cost")?.agents).toEqual([{ name: "Look into it", used: "$0.20" }]);
  expect(row("turns")?.agents).toEqual([]);
});

test("every limit has a row, with what is used also where there is no maximum", () => {
  const { rows } = rowsFor({ tools: { bash: { max: 5 } } });
  expect(rows.map(({ label, used, max }) => `${label} ${used}/${max}`)).toEqual([
    "Turns 2/4",
    "Steps 3/∞",
    "Tokens 1.5k/∞",
    "Cost $0.25/∞",
    "Time 45s/∞",
    "bash calls 3/∞",
    "Repeats 0/∞",
  ]);
});

test("a row shows the limit's policy and starts editing with its whole text", () => {
  const { row } = rowsFor({
    tokens: { max: 200_000, onExhausted: "stop", reserve: 10_000 },
    tools: { bash: { max: 5, onExhausted: "stop" } },
  });
  expect(row("tokens")).toMatchObject({ text: "200k stop reserve 10k", policy: "stop reserve 10k" });
  expect(row("tools.bash")).toMatchObject({ text: "5 stop", policy: "stop" });
  expect(row("repeats")).toMatchObject({ text: "unlimited", policy: "" });
});

test("what is edited there replaces the text, and what is no limit is refused with what is", () => {
  const { row, chosen } = rowsFor({ tools: { bash: { max: 5, onExhausted: "stop", headless: "stop" } } });
  expect(row("tools.bash")?.set("7")).toEqual({ rows: ["tools.bash"] });
  expect(row("repeats")?.set("3 refuse")).toEqual({ rows: ["repeats"] });
  expect(row("repeats")?.set("0")).toEqual({
    refusal: 'Invalid repeat limit. "0" is below 1. Use 1 or more, or unlimited.',
  });
  expect(chosen).toEqual([
    { tools: { bash: { max: 7, onExhausted: "ask" } } },
    { repeats: { max: 3, onExhausted: "refuse" } },
  ]);
});

test("a limit for a period has a row under its kind, where it is edited like the others", () => {
  const { rows, row, chosen, takenBack } = rowsFor({
    "cost per day": { max: 20, onExhausted: "stop" },
    "cost per session": { max: 5 },
    cost: { max: 2 },
  });
  expect(rows.map(({ label }) => label)).toEqual([
    ...["Turns", "Steps", "Tokens", "Cost", "Cost per session", "Cost per day", "Time", "Repeats"],
  ]);
  expect(row("cost per day")).toMatchObject({
    used: "$0.00",
    max: "$20.00",
    text: "$20.00 per day stop",
    policy: "stop",
    source: "cost per day.max /cost-limit",
    file: "turn-limit.json",
  });
  expect(row("cost per day")?.set("$30")).toEqual({ rows: ["cost per day"] });
  expect(row("cost")?.set("$40 per week")).toEqual({ rows: ["cost per week"] });
  expect(row("cost per day")?.set("$30 per week")).toEqual({
    refusal: "Invalid cost limit per day. This is the limit per day. For another period, use /cost-limit.",
  });
  expect(row("cost per day")?.set("default")).toEqual({ rows: [] });
  expect({ chosen, takenBack }).toEqual({
    chosen: [
      { "cost per day": { max: 30, onExhausted: "ask" } },
      { "cost per week": { max: 40, onExhausted: "ask" } },
    ],
    takenBack: ["cost per day"],
  });
});

test("the word default takes back what was set", () => {
  const { row, chosen, takenBack } = rowsFor({ tools: { bash: { max: 5 } } });
  expect(row("tools.bash")?.set(" Default ")).toEqual({ rows: [] });
  expect({ chosen, takenBack }).toEqual({ chosen: [], takenBack: ["tools.bash"] });
});

test("a percentile is edited as it was said, beside the number that was chosen", async () => {
  const { row, chosen, again } = rowsFor({ turns: { max: "p90 up to 50" } });
  expect(row("turns")).toMatchObject({
    text: "p90 up to 50",
    source: "p90 up to 50, turns.max /turn-limit",
  });
  expect(row("turns")?.set("p75")).toEqual({ rows: ["turns"] });
  expect(row("turns")?.save()).toEqual({
    isSaved: false,
    text: "It is not set yet: your runs are still being read, from which it is chosen. Save it when it is shown.",
  });
  // Chosen first: what a limit was in between must not start its counter over.
  expect(chosen).toEqual([]);
  await Promise.resolve();
  expect(again).toEqual(["again"]);
  expect(chosen).toMatchObject([{ turns: { max: "p75" } }]);
  expect(row("turns")?.set("p0")).toMatchObject({ refusal: expect.stringContaining("Invalid turn limit.") });
});
