import { expect, test } from "vitest";
import { settingsIn } from "../../src/settings/settings-file.ts";

function read(values: unknown) {
  return settingsIn({ values: values as Record<string, unknown> });
}

test.for([
  [{ cost: { max: 20, per: "day" } }, { "cost per day": { max: 20 } }],
  [{ cost: [2, { max: 20, per: "day" }] }, { cost: { max: 2 }, "cost per day": { max: 20 } }],
  [{ turns: [5] }, { turns: { max: 5 } }],
  [
    { tokens: [{ max: "2m", per: "week", headless: "raise", cacheReads: true }, "200k"] },
    { "tokens per week": { max: 2_000_000, headless: "raise", cacheReads: true }, tokens: { max: 200_000 } },
  ],
  [
    { cost: { max: "$9", per: "month", onExhausted: "stop", unpriced: "stop" } },
    { "cost per month": { max: 9, onExhausted: "stop", unpriced: "stop" } },
  ],
  [{ time: [{ max: "2h", per: "session" }] }, { "time per session": { max: 7_200_000 } }],
  [{ steps: { max: "unlimited", per: "day" } }, { "steps per day": { max: "unlimited" } }],
] as const)("a settings file with %j says %j", ([values, settings]) => {
  expect(read(values)).toEqual({ settings, problems: [], refused: [] });
});

test("two for the same period are refused, and the others count", () => {
  const day = [
    { max: 2, per: "day" },
    { max: 3, per: "day" },
  ];
  expect(read({ cost: [5, ...day], steps: [1, 2, { max: 9, per: "week" }] })).toEqual({
    settings: { "steps per week": { max: 9 }, cost: { max: 5 } },
    problems: [
      '"steps": Invalid step limit. Use only one per prompt, not [1,2].',
      `"cost": Invalid cost limit per day. Use only one per day, not ${JSON.stringify(day)}.`,
    ],
    refused: [
      ["steps", "max"],
      ["cost per day", "max"],
    ],
  });
});

test.for([
  [
    { max: 20, per: "fortnight" },
    '"cost.per": Invalid period. Use "session", "day", "week", or "month", not "fortnight".',
  ],
  [{ max: 20, per: null }, '"cost.per": Invalid period. Use "session", "day", "week", or "month", not null.'],
  [
    { max: 20, Per: "day" },
    '"cost.Per" is not a setting. Did you mean "cost.per"? Use max, per, onExhausted, headless, extend, extendBy, reserve, unpriced.',
  ],
  [
    { max: 20, every: "day" },
    '"cost.every" is not a setting. Use max, per, onExhausted, headless, extend, extendBy, reserve, unpriced.',
  ],
] as const)("a cost of %j is not taken for one of a prompt", ([cost, problem]) => {
  expect(read({ cost })).toEqual({ settings: {}, problems: [problem], refused: [["cost"]] });
});

test("a limit for a period needs its maximum", () => {
  for (const cost of [{ per: "day" }, { per: "day", onExhausted: "stop" }])
    expect(read({ cost })).toEqual({
      settings: {},
      problems: ['"cost": Invalid cost limit per day. It has no "max".'],
      refused: [["cost per day", "max"]],
    });
  expect(read({ cost: [1, { max: -1, per: "day" }] })).toEqual({
    settings: { cost: { max: 1 } },
    problems: [
      '"cost[1].max": Invalid cost limit per day. Use a number of 0 or more, a text such as "$5" or "$0.50", or "unlimited", not -1.',
    ],
    refused: [["cost per day", "max"]],
  });
});

test("a reserve, a grace or a message with a period is refused, and the limit counts", () => {
  const values = {
    turns: { max: 100, per: "day", grace: 3, message: "Finish." },
    cost: [{ max: 20, per: "week", reserve: 1 }],
  };
  expect(read(values)).toEqual({
    settings: { "turns per day": { max: 100 }, "cost per week": { max: 20 } },
    problems: [
      '"turns.grace": A limit per day has no grace. Use max, per, onExhausted, headless.',
      '"turns.message": A limit per day has no message. Use max, per, onExhausted, headless.',
      '"cost[0].reserve": A limit per week has no reserve. Use max, per, onExhausted, headless, unpriced.',
    ],
    refused: [],
  });
});

test("limits of single tools and of repeats have no period, and are refused with one", () => {
  expect(read({ tools: { bash: { max: 5, per: "day" } }, repeats: { max: 3, per: "day" } })).toEqual({
    settings: {},
    problems: [
      '"tools.bash.per": The bash limit has no period. Use max, onExhausted, headless.',
      '"repeats.per": The repeat limit has no period. Use max, onExhausted, headless.',
    ],
    refused: [
      ["tools", "bash", "max"],
      ["repeats", "max"],
    ],
  });
});
