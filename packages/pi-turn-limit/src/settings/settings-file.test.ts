import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readSettingsFile, settingsIn } from "./settings-file.ts";

const folder = mkdtempSync(join(tmpdir(), "turn-limit-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

function readText(text: string) {
  const path = join(folder, "turn-limit.json");
  writeFileSync(path, text);
  return readSettingsFile(path, ["turns"]);
}

test("a file that is not there is an empty one", () => {
  expect(readSettingsFile(join(folder, "none.json"), [])).toMatchObject({ values: {}, problems: [] });
  expect(readSettingsFile(join(folder, "turn-limit.json", "none.json"), [])).toMatchObject({ problems: [] });
});

test("a link to a file that is not there cannot be read", () => {
  const path = join(folder, "to-nothing.json");
  symlinkSync(join(folder, "nothing", "turn-limit.json"), path);
  const problems = ["This cannot be read: it is a link to a file that is not there."];
  expect(readSettingsFile(path, [])).toMatchObject({ values: {}, problems, isBroken: true });
});

test("the settings are what the file says, also behind a byte order mark", () => {
  expect(readText('\uFEFF{ "$schema": "x", "turns": 5 }')).toMatchObject({
    values: { turns: 5 },
    problems: [],
  });
});

test("a file that is not JSON is named and ignored", () => {
  const { values, problems } = readText("{ turns: 5 }");
  expect(values).toEqual({});
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain("This is not valid JSON: ");
});

test.each(["[]", "5", "null", '"x"'])(
  "a file that holds %s instead of an object is named and ignored",
  (text) => {
    const { values, problems } = readText(text);
    expect(values).toEqual({});
    expect(problems[0]).toContain("This is not a JSON object.");
  },
);

test("a misspelt setting is reported with those that exist, and the others count", () => {
  const { values, problems } = readText('{ "turn": 5, "turns": 6 }');
  expect(values).toMatchObject({ turns: 6 });
  expect(problems).toEqual([
    expect.stringMatching(/^"turn" is not a setting\. Did you mean "turns"\? Use turns\.$/),
  ]);
});

test("what is not a file cannot be read, also behind a link", () => {
  const path = join(folder, "a-folder");
  mkdirSync(path);
  const toDevice = join(folder, "to-a-device.json");
  symlinkSync("/dev/null", toDevice);
  for (const at of [path, toDevice]) {
    const problems = ["This cannot be read: it is not a regular file."];
    expect(readSettingsFile(at, [])).toMatchObject({ values: {}, problems, isBroken: true });
  }
});

function read(values: unknown) {
  return settingsIn({ values: values as Record<string, unknown> });
}

test.each([
  [{}, {}],
  [{ turns: 0 }, { turns: { max: 0 } }],
  [{ turns: 1e3 }, { turns: { max: 1000 } }],
  [{ turns: "UNLIMITED" }, { turns: { max: "unlimited" } }],
  [{ turns: { max: 25 } }, { turns: { max: 25 } }],
  [{ turns: { grace: 3 } }, { turns: { grace: 3 } }],
  [
    { turns: { max: 25, onExhausted: "stop", headless: "synthesize", grace: 3, message: "Finish." } },
    { turns: { max: 25, onExhausted: "stop", headless: "synthesize", grace: 3, message: "Finish." } },
  ],
  [{ steps: 40 }, { steps: { max: 40 } }],
  [{ steps: "unlimited" }, { steps: { max: "unlimited" } }],
  [{ steps: { max: 40, onExhausted: "stop" } }, { steps: { max: 40, onExhausted: "stop" } }],
  [{ steps: { onExhausted: "refuse" } }, { steps: { onExhausted: "refuse" } }],
  [{ tokens: 0 }, { tokens: { max: 0 } }],
  [{ tokens: 200_000 }, { tokens: { max: 200_000 } }],
  [{ tokens: "200K" }, { tokens: { max: 200_000 } }],
  [{ tokens: "Unlimited" }, { tokens: { max: "unlimited" } }],
  [{ tokens: { onExhausted: "raise" } }, { tokens: { onExhausted: "raise" } }],
  [
    { tokens: { max: "1.5m", headless: "synthesize", reserve: "10k", cacheReads: true, cacheWrites: false } },
    {
      tokens: {
        max: 1_500_000,
        headless: "synthesize",
        reserve: 10_000,
        cacheReads: true,
        cacheWrites: false,
      },
    },
  ],
  [{ cost: 0.5 }, { cost: { max: 0.5 } }],
  [{ cost: "$5" }, { cost: { max: 5 } }],
  [
    { cost: { max: "unlimited", reserve: "$0.25", unpriced: "tokens" } },
    { cost: { max: "unlimited", reserve: 0.25, unpriced: "tokens" } },
  ],
  [{ time: "10m" }, { time: { max: 600_000 } }],
  [{ time: { max: "0s", headless: "stop" } }, { time: { max: 0, headless: "stop" } }],
  [{ repeats: 1 }, { repeats: { max: 1 } }],
  [{ repeats: { max: 3, headless: "refuse" } }, { repeats: { max: 3, headless: "refuse" } }],
  [{ boundary: "menu" }, { boundary: "menu" }],
  [{ tools: {} }, {}],
  [
    { tools: { bash: 0, read: "unlimited", edit: { max: 5, headless: "synthesize" } } },
    { tools: { bash: { max: 0 }, read: { max: "unlimited" }, edit: { max: 5, headless: "synthesize" } } },
  ],
])("a settings file with %j says %j", (values, settings) => {
  expect(read(values)).toEqual({ settings, problems: [], refused: [] });
});

const NO_AMOUNT = [-1, Infinity, null, true, [], {}, "", "abc", "25", " 25 ", "NaN", "1e3"];
const REFUSED = {
  turns: [1.5, 1e20],
  steps: [0, 1.5, "40"],
  tokens: [1.5, "k", "1.5", "1.0005k", " 200k ", "200k stop", "٣k", "$5"],
  cost: ["$", "$-1", "$1e3", " $5", "$5 stop", "5k"],
  time: [600, 0, "600", "10m10m", "30m1h", " 10m", "1h 30m", "10m stop"],
  repeats: [0, 1.5, "3k"],
};

test.each(
  Object.entries(REFUSED).flatMap(([key, own]) =>
    [...NO_AMOUNT, ...own].map((value) => [key, value] as const),
  ),
)("a settings file with the limit of %s %j is told what is allowed", (key, value) => {
  for (const values of [{ [key]: value }, { [key]: { max: value } }]) {
    const { settings, problems } = read(values);
    expect(settings).toEqual({});
    expect(problems).toEqual([
      expect.stringMatching(/^"\w+(\.max)?": Invalid \w+ limit\. (Use a .*, not .*|It has no "max")\.$/),
    ]);
  }
});

test("a refusal names the path, the value and what is allowed", () => {
  const values = {
    steps: { onExhausted: "explode" },
    tokens: "25",
    cost: { reserve: -1 },
    time: { max: 600, headless: "refuse" },
    boundary: "shout",
  };
  expect(read(values).problems).toEqual([
    '"steps.onExhausted": Invalid step policy. Use "ask", "stop", "raise", "synthesize" or "refuse", not "explode".',
    '"tokens": Invalid token limit. Use a whole number of 0 or more, a text such as "200k" or "1.5m", or "unlimited", not "25".',
    '"cost.reserve": Invalid cost reserve. Use a number of 0 or more, or a text such as "$5" or "$0.50", not -1.',
    '"time.max": Invalid time limit. Use a time such as "90s", "10m" or "1h30m", or "unlimited", not 600.',
    '"time.headless": Invalid time headless policy. Use "stop", "raise" or "synthesize", not "refuse".',
    '"boundary": Invalid boundary. Use "confirm" or "menu", not "shout".',
  ]);
});

test("one bad part of a limit does not take the good parts with it", () => {
  const { settings, problems } = read({
    turns: { max: 30, grace: -1, headless: "shout", message: 5 },
    tokens: { max: "200k", onExhausted: "refuse", headless: "ask", reserve: 0.5, cacheReads: "yes" },
    cost: { max: -1, onExhausted: "stop", unpriced: "ignore" },
  });
  expect(settings).toEqual({ turns: { max: 30 }, tokens: { max: 200_000 }, cost: { onExhausted: "stop" } });
  expect(problems.map((problem) => problem.split(" Use ")[0])).toEqual([
    '"turns.grace": Invalid turn grace.',
    '"turns.headless": Invalid turn headless policy.',
    '"turns.message": Invalid wrap-up message.',
    '"tokens.onExhausted": Invalid token policy.',
    '"tokens.headless": Invalid token headless policy.',
    '"tokens.reserve": Invalid token reserve.',
    '"tokens.cacheReads": Invalid cache reads setting.',
    '"cost.max": Invalid cost limit.',
    '"cost.unpriced": Invalid unpriced policy.',
  ]);
});

test("a misspelt part is named with those that exist, also when it is a name that every object has", () => {
  const { settings, problems } = read({
    turns: { max: 2, graec: 1 },
    time: { max: "10m", reserve: "1m" },
    repeats: { max: 2, constructor: 1 },
  });
  expect(settings).toEqual({ turns: { max: 2 }, time: { max: 600_000 }, repeats: { max: 2 } });
  expect(problems).toEqual([
    '"turns.graec" is not a setting. Did you mean "turns.grace"? Use max, per, onExhausted, headless, extend, extendBy, grace, message.',
    '"time.reserve" is not a setting. Use max, per, onExhausted, headless, extend, extendBy.',
    '"repeats.constructor" is not a setting. Use max, onExhausted, headless.',
  ]);
});

test("a misspelt part may be the maximum: without one the limit is refused", () => {
  expect(read({ cost: { Max: 5 }, time: { max: "10m", Max: 5 }, steps: { onExhausted: "stop" } })).toEqual({
    settings: { time: { max: 600_000 }, steps: { onExhausted: "stop" } },
    problems: [
      '"cost.Max" is not a setting. Did you mean "cost.max"? Use max, per, onExhausted, headless, extend, extendBy, reserve, unpriced.',
      '"time.Max" is not a setting. Did you mean "time.max"? Use max, per, onExhausted, headless, extend, extendBy.',
    ],
    refused: [["cost", "max"]],
  });
});

test("a bad limit of a tool is named by its path, and the other tools count", () => {
  const tools = {
    bash: -1,
    read: "5",
    edit: {},
    write: { onExhausted: "stop" },
    grep: { max: 1.5, headless: "stop" },
    find: { max: 3, onExhausted: "explode", mx: 4 },
    ls: 7,
  };
  const { settings, problems } = read({ tools });
  expect(settings).toEqual({ tools: { grep: { headless: "stop" }, find: { max: 3 }, ls: { max: 7 } } });
  expect(problems.map((problem) => problem.split(" Use ")[0])).toEqual([
    '"tools.bash": Invalid bash limit.',
    '"tools.read": Invalid read limit.',
    '"tools.edit": Invalid edit limit. It has no "max".',
    '"tools.write": Invalid write limit. It has no "max".',
    '"tools.grep.max": Invalid grep limit.',
    '"tools.find.onExhausted": Invalid find policy.',
    '"tools.find.mx" is not a setting. Did you mean "tools.find.max"?',
  ]);
});

test.each([5, null, [], "bash", true])("tools that are %j instead of an object are refused", (tools) => {
  const { settings, problems } = read({ tools });
  expect(settings).toEqual({});
  expect(problems).toEqual([
    `"tools": Invalid list of tool limits. Use { "name of the tool": …, … }, not ${JSON.stringify(tools)}.`,
  ]);
});

test("a tool's name may be any text", () => {
  const { settings } = read(JSON.parse('{ "tools": { "__proto__": 1, "mcp.server.tool": 2 } }'));
  expect(JSON.stringify(settings)).toBe('{"tools":{"__proto__":{"max":1},"mcp.server.tool":{"max":2}}}');
});
