import { expect, test } from "vitest";
import { entrySettings, saidNow, setBy } from "./set-by-commands.ts";
import { completed } from "./settings.ts";

test("what commands said before Pi was started is told from what they say now, and a word of now takes back both", () => {
  const earlier = [{ turns: { max: 9, grace: 2 }, start: "another" }, { steps: 4 }];
  const now = [saidNow({ turns: { max: 5 } })];
  expect(setBy([...earlier, ...now])).toEqual({
    now: { turns: { max: 5 } },
    earlier: { turns: { max: 9, grace: 2 }, steps: { max: 4 } },
  });
  const takenBack = saidNow({ turns: "default" });
  expect(setBy([...earlier, ...now, takenBack])).toEqual({ now: {}, earlier: { steps: { max: 4 } } });
});

test("settings that were saved are the same settings again", () => {
  const settings = {
    turns: { max: 50, grace: 3 },
    steps: { max: "unlimited", onExhausted: "refuse" },
    tokens: { max: 200_000, onExhausted: "synthesize", reserve: 10_000, cacheReads: true },
    cost: { max: 0.5, unpriced: "tokens" },
    time: { max: 600_000 },
    repeats: { max: 3, headless: "synthesize" },
    boundary: "menu",
    tools: { bash: { max: 0, onExhausted: "stop" }, "mcp.server.tool": { max: "unlimited" } },
  };
  expect(entrySettings(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
});

test("the defaults are valid settings", () => {
  expect(entrySettings(completed({}))).toEqual({ ...completed({}), tools: undefined, plan: undefined });
});

test("what version 0.1.0 saved still counts", () => {
  expect(entrySettings({ turns: 50, grace: 3 })).toEqual({ turns: { max: 50, grace: 3 } });
  expect(entrySettings({ turns: "unlimited" })).toEqual({ turns: { max: "unlimited" } });
  expect(entrySettings({ steps: "unlimited" })).toEqual({ steps: { max: "unlimited" } });
  expect(entrySettings({ steps: { max: 40, onExhausted: "raise" } })).toEqual({
    steps: { max: 40, onExhausted: "raise" },
  });
  expect(entrySettings({ "tokens.max": 200_000, "tokens.onExhausted": "stop", "tokens.reserve": 0 })).toEqual(
    {
      tokens: { max: 200_000, onExhausted: "stop", reserve: 0 },
    },
  );
  expect(entrySettings({ "time.max": 600_000, "repeats.max": 3 })).toEqual({
    time: { max: 600_000 },
    repeats: { max: 3 },
  });
  expect(
    entrySettings({
      "tools.bash": { max: 5, onExhausted: "stop", headless: "stop" },
      "tools.mcp.server.tool": "unlimited",
    }),
  ).toEqual({
    tools: {
      bash: { max: 5, onExhausted: "stop", headless: "stop" },
      "mcp.server.tool": { max: "unlimited" },
    },
  });
});

test.for<unknown>([
  ...[undefined, null, 5, "turns", [], [5]],
  ...[-1, 1.5, "50", null, true].map((turns) => ({ turns })),
  ...[-1, 1.5, "50", "unlimited", null].map((grace) => ({ grace })),
  ...[0, "40", { max: 0 }, { onExhausted: "explode" }].map((steps) => ({ steps })),
  ...[-1, 1.5, "200k", null, Number.NaN].flatMap((max) => [{ "tokens.max": max }, { tokens: { max } }]),
  ...[-1, "$5", Number.POSITIVE_INFINITY].flatMap((max) => [{ "cost.max": max }, { cost: { max } }]),
  ...[-1, 0.5, "10m"].flatMap((max) => [{ "time.max": max }, { time: { max } }]),
  { repeats: { max: 0 } },
  { tokens: { reserve: "unlimited" } },
  { tokens: { onExhausted: "refuse" } },
  { time: { headless: "ask" } },
  { cost: { unpriced: true } },
  { tokens: { cacheReads: "yes" } },
  { boundary: "shout" },
  { boundary: { max: 5 } },
  ...[-1, {}, { max: -1 }, { mx: 5 }, { max: { max: 5 } }].map((bash) => ({ tools: { bash } })),
  { tools: 5 },
  { "tokens.mx": 5 },
  { tokens: { constructor: 5 } },
  { constructor: { max: 5 } },
])("what is no setting is none: %j", (data) => {
  expect(entrySettings(data)).toEqual({});
});
