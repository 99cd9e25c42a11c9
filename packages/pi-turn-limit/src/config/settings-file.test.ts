import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

test("the settings are what the file says, also behind a byte order mark", () => {
  expect(readText('\uFEFF{ "$schema": "x", "turns": 5 }')).toMatchObject({
    values: { turns: 5 },
    problems: [],
  });
});

test("a file that is not JSON is named and ignored", () => {
  const { path, values, problems } = readText("{ turns: 5 }");
  expect(values).toEqual({});
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`${path} is not valid JSON`);
});

test.each(["[]", "5", "null", '"x"'])(
  "a file that holds %s instead of an object is named and ignored",
  (text) => {
    const { path, values, problems } = readText(text);
    expect(values).toEqual({});
    expect(problems[0]).toContain(`${path} must hold a JSON object`);
  },
);

test("a misspelt setting is reported with those that exist, and the others count", () => {
  const { values, problems } = readText('{ "turn": 5, "turns": 6 }');
  expect(values).toMatchObject({ turns: 6 });
  expect(problems).toEqual([
    expect.stringMatching(/^Unknown setting "turn" in .*\. Known settings: turns\.$/),
  ]);
});

test("a file that cannot be read is reported", () => {
  const path = join(folder, "a-folder");
  mkdirSync(path);
  expect(readSettingsFile(path, []).problems[0]).toContain(`Cannot read ${path}`);
});

function read(values: unknown) {
  return settingsIn({ path: "turn-limit.json", values: values as Record<string, unknown> });
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
  expect(read(values)).toEqual({ settings, problems: [] });
});

const NO_AMOUNT = [-1, Infinity, null, true, [], [5], {}, "", "abc", "25", " 25 ", "NaN", "1e3"];
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
      expect.stringMatching(/^Invalid \w+ limit .* from "\w+(\.max)?" of turn-limit\.json\. Allowed: a /),
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
    'Invalid step policy "explode" from "steps.onExhausted" of turn-limit.json. Allowed: "ask", "stop", "raise", "synthesize" or "refuse". It is ignored.',
    'Invalid token limit "25" from "tokens" of turn-limit.json. Allowed: a whole number of 0 or more, a text such as "200k" or "1.5m", "unlimited", or { "max": …, "onExhausted": …, "headless": …, "reserve": …, "cacheReads": …, "cacheWrites": … }. It is ignored.',
    'Invalid cost reserve -1 from "cost.reserve" of turn-limit.json. Allowed: a number of 0 or more, or a text such as "$5" or "$0.50". It is ignored.',
    'Invalid time limit 600 from "time.max" of turn-limit.json. Allowed: a time such as "90s", "10m" or "1h30m", or "unlimited". It is ignored.',
    'Invalid time headless policy "refuse" from "time.headless" of turn-limit.json. Allowed: "stop", "raise" or "synthesize". It is ignored.',
    'Invalid boundary "shout" from "boundary" of turn-limit.json. Allowed: "confirm" or "menu". It is ignored.',
  ]);
});

test("one bad part of a limit does not take the good parts with it", () => {
  const { settings, problems } = read({
    turns: { max: 30, grace: -1, headless: "shout", message: 5 },
    tokens: { max: "200k", onExhausted: "refuse", headless: "ask", reserve: 0.5, cacheReads: "yes" },
    cost: { max: -1, onExhausted: "stop", unpriced: "ignore" },
  });
  expect(settings).toEqual({ turns: { max: 30 }, tokens: { max: 200_000 }, cost: { onExhausted: "stop" } });
  expect(problems.map((problem) => problem.split(" of turn-limit.json")[0])).toEqual([
    'Invalid turn grace -1 from "turns.grace"',
    'Invalid turn headless policy "shout" from "turns.headless"',
    'Invalid wrap-up message 5 from "turns.message"',
    'Invalid token policy "refuse" from "tokens.onExhausted"',
    'Invalid token headless policy "ask" from "tokens.headless"',
    'Invalid token reserve 0.5 from "tokens.reserve"',
    'Invalid cache reads setting "yes" from "tokens.cacheReads"',
    'Invalid cost limit -1 from "cost.max"',
    'Invalid unpriced policy "ignore" from "cost.unpriced"',
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
    'Unknown setting "turns.graec" in turn-limit.json. Known settings: max, onExhausted, headless, grace, message.',
    'Unknown setting "time.reserve" in turn-limit.json. Known settings: max, onExhausted, headless.',
    'Unknown setting "repeats.constructor" in turn-limit.json. Known settings: max, onExhausted, headless.',
  ]);
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
  expect(problems.map((problem) => problem.split(" turn-limit.json")[0])).toEqual([
    'Invalid bash limit -1 from "tools.bash" of',
    'Invalid read limit "5" from "tools.read" of',
    'Invalid edit limit {} from "tools.edit" of',
    'Invalid write limit {"onExhausted":"stop"} from "tools.write" of',
    'Invalid grep limit 1.5 from "tools.grep.max" of',
    'Invalid find policy "explode" from "tools.find.onExhausted" of',
    'Unknown setting "tools.find.mx" in',
  ]);
});

test.each([5, null, [], "bash", true])("tools that are %j instead of an object are refused", (tools) => {
  const { settings, problems } = read({ tools });
  expect(settings).toEqual({});
  expect(problems).toEqual([
    `Invalid tool limits ${JSON.stringify(tools)} from "tools" of turn-limit.json. Allowed: { "name of the tool": …, … }. It is ignored.`,
  ]);
});

test("a tool's name may be any text", () => {
  const { settings } = read(JSON.parse('{ "tools": { "__proto__": 1, "mcp.server.tool": 2 } }'));
  expect(JSON.stringify(settings)).toBe('{"tools":{"__proto__":{"max":1},"mcp.server.tool":{"max":2}}}');
});
