import { expect, test } from "vitest";
import { readFileClaims } from "./file-claims.ts";
import type { Claims } from "./LimitValues.ts";

function read(values: unknown, weaker?: Claims) {
  const file = { path: "turn-limit.json", values: values as Record<string, unknown>, problems: [] };
  return readFileClaims(file, weaker);
}

test.each([
  [{ tokens: 0 }, { "tokens.max": 0 }],
  [{ tokens: 200_000 }, { "tokens.max": 200_000 }],
  [{ tokens: "200K" }, { "tokens.max": 200_000 }],
  [{ tokens: "Unlimited" }, { "tokens.max": "unlimited" }],
  [{ tokens: { onExhausted: "stop" } }, { "tokens.onExhausted": "stop" }],
  [
    {
      tokens: {
        max: "1.5m",
        onExhausted: "synthesize",
        headless: "synthesize",
        reserve: "10k",
        cacheReads: true,
        cacheWrites: false,
      },
    },
    {
      "tokens.max": 1_500_000,
      "tokens.onExhausted": "synthesize",
      "tokens.headless": "synthesize",
      "tokens.reserve": 10_000,
      "tokens.cacheReads": true,
      "tokens.cacheWrites": false,
    },
  ],
  [{ cost: 0.5 }, { "cost.max": 0.5 }],
  [{ cost: "$5" }, { "cost.max": 5 }],
  [
    { cost: { max: "unlimited", reserve: "$0.25", unpriced: "tokens" } },
    { "cost.max": "unlimited", "cost.reserve": 0.25, "cost.unpriced": "tokens" },
  ],
  [{ time: "10m" }, { "time.max": 600_000 }],
  [{ time: { max: "0s", headless: "stop" } }, { "time.max": 0, "time.headless": "stop" }],
  [{ repeats: 1 }, { "repeats.max": 1 }],
  [{ repeats: { max: 3, onExhausted: "ask" } }, { "repeats.max": 3, "repeats.onExhausted": "ask" }],
  [{ boundary: "menu" }, { boundary: "menu" }],
  [{ tools: {} }, {}],
  [
    { tools: { bash: 0, read: "unlimited", edit: { max: 5, headless: "synthesize" } } },
    {
      "tools.bash": { max: 0, onExhausted: "ask", headless: "stop" },
      "tools.read": "unlimited",
      "tools.edit": { max: 5, onExhausted: "ask", headless: "synthesize" },
    },
  ],
])("a settings file with %j says %j", (values, claims) => {
  expect(read(values)).toEqual({ claims, problems: [] });
});

const NO_AMOUNT = [
  -1,
  Number.POSITIVE_INFINITY,
  null,
  true,
  [],
  [5],
  {},
  "",
  "abc",
  "25",
  " 25 ",
  "NaN",
  "1e3",
];

test.each([
  ...[...NO_AMOUNT, 1.5, "k", "1.5", "1.0005k", " 200k ", "200k stop", "٣k", "$5"].map((value) => [
    "tokens",
    value,
  ]),
  ...[...NO_AMOUNT, "$", "$-1", "$1e3", " $5", "$5 stop", "5k"].map((value) => ["cost", value]),
  ...[...NO_AMOUNT, 600, 0, "600", "10m10m", "30m1h", " 10m", "1h 30m", "10m stop"].map((value) => [
    "time",
    value,
  ]),
  ...[...NO_AMOUNT, 0, 1.5, "3k"].map((value) => ["repeats", value]),
])("a settings file with the limit of %s %j is told what is allowed", (budget, value) => {
  for (const values of [{ [String(budget)]: value }, { [String(budget)]: { max: value } }]) {
    const { claims, problems } = read(values);
    expect(claims).toEqual({});
    expect(problems).toEqual([
      expect.stringMatching(/^Invalid \w+ limit .* from "\w+(\.max)?" of turn-limit\.json\. Allowed: a /),
    ]);
  }
});

test("a refusal names the path, the value and what is allowed", () => {
  const values = { tokens: "25", cost: { reserve: -1 }, time: 600, boundary: "shout" };
  expect(read(values).problems).toEqual([
    'Invalid token limit "25" from "tokens" of turn-limit.json. Allowed: a whole number from 0 on, a text such as "200k" or "1.5m", "unlimited", or { "max": …, "onExhausted": …, "headless": …, "reserve": …, "cacheReads": …, "cacheWrites": … }. It is ignored.',
    'Invalid cost reserve -1 from "cost.reserve" of turn-limit.json. Allowed: a number from 0 on, or a text such as "$5" or "$0.50". It is ignored.',
    'Invalid time limit 600 from "time" of turn-limit.json. Allowed: a time such as "90s", "10m" or "1h30m", "unlimited", or { "max": …, "onExhausted": …, "headless": … }. It is ignored.',
    'Invalid boundary "shout" from "boundary" of turn-limit.json. Allowed: "confirm" or "menu". It is ignored.',
  ]);
});

test("one bad part of a budget does not take the good parts with it", () => {
  const { claims, problems } = read({
    tokens: { max: "200k", onExhausted: "raise", headless: "ask", reserve: 0.5, cacheReads: "yes" },
    cost: { max: -1, onExhausted: "stop", unpriced: "ignore" },
  });
  expect(claims).toEqual({ "tokens.max": 200_000, "cost.onExhausted": "stop" });
  expect(problems.map((problem) => problem.split(" of turn-limit.json")[0])).toEqual([
    'Invalid token policy "raise" from "tokens.onExhausted"',
    'Invalid token headless policy "ask" from "tokens.headless"',
    'Invalid token reserve 0.5 from "tokens.reserve"',
    'Invalid cache reads setting "yes" from "tokens.cacheReads"',
    'Invalid cost limit -1 from "cost.max"',
    'Invalid unpriced policy "ignore" from "cost.unpriced"',
  ]);
});

test("a misspelt part is named with those that exist, also when it is a name that every object has", () => {
  const { claims, problems } = read({
    time: { max: "10m", reserve: "1m" },
    repeats: { max: 2, constructor: 1 },
  });
  expect(claims).toEqual({ "time.max": 600_000, "repeats.max": 2 });
  expect(problems).toEqual([
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
    find: { max: 3, onExhausted: "raise", mx: 4 },
    ls: 7,
  };
  const { claims, problems } = read({ tools });
  expect(claims).toEqual({
    "tools.find": { max: 3, onExhausted: "ask", headless: "stop" },
    "tools.ls": { max: 7, onExhausted: "ask", headless: "stop" },
  });
  expect(problems.map((problem) => problem.split(" turn-limit.json")[0])).toEqual([
    'Invalid bash limit -1 from "tools.bash" of',
    'Invalid read limit "5" from "tools.read" of',
    'Invalid edit limit {} from "tools.edit" of',
    'Invalid write limit {"onExhausted":"stop"} from "tools.write" of',
    'Invalid grep limit 1.5 from "tools.grep.max" of',
    'Invalid find policy "raise" from "tools.find.onExhausted" of',
    'Unknown setting "tools.find.mx" in',
  ]);
});

test.each([5, null, [], "bash", true])("tools that are %j instead of an object are refused", (tools) => {
  const { claims, problems } = read({ tools });
  expect(claims).toEqual({});
  expect(problems).toEqual([
    expect.stringMatching(/^Invalid tool limits .* from "tools" of turn-limit\.json\./),
  ]);
});

test("a tool's name may be any text", () => {
  const { claims } = read(JSON.parse('{ "tools": { "__proto__": 1, "mcp.server.tool": 2 } }'));
  expect(Object.keys(claims)).toEqual(["tools.__proto__", "tools.mcp.server.tool"]);
});

test("policies that a file leaves out for a tool are those of the next source", () => {
  const weaker: Claims = { "tools.bash": { max: 10, onExhausted: "stop", headless: "synthesize" } };
  expect(read({ tools: { bash: { max: 5, headless: "stop" } } }, weaker).claims).toEqual({
    "tools.bash": { max: 5, onExhausted: "stop", headless: "stop" },
  });
});
