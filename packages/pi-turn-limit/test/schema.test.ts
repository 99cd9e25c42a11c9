import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { settingsSchema } from "../src/settings/schema.ts";
import { settingsIn } from "../src/settings/settings-file.ts";

const schema = JSON.parse(readFileSync(new URL("../turn-limit.schema.json", import.meta.url), "utf8"));
const isValid = new Ajv().compile(schema);

const noAmounts = [
  -1,
  "25",
  "abc",
  "",
  "-5k",
  "Infinity",
  null,
  true,
  [],
  [[5]],
  {},
  { max: -1 },
  { max: "25" },
];
const noBudgets = [
  { mx: 5 },
  { onExhausted: "explode" },
  { onExhausted: 5 },
  { headless: "ask" },
  { max: null },
];

function isAccepted(values: Record<string, unknown>): boolean {
  return settingsIn({ values }).problems.length === 0;
}

test.each([
  { turns: 0 },
  { turns: 25 },
  { turns: 9007199254740991 },
  { turns: "unlimited" },
  { turns: { max: 5 } },
  { turns: { max: "unlimited" } },
  { turns: { grace: 3 } },
  { turns: { max: 25, onExhausted: "stop", headless: "synthesize", grace: 3, message: "Finish." } },
  { steps: 1 },
  { steps: "unlimited" },
  { steps: { max: 40 } },
  ...["ask", "stop", "raise", "synthesize", "refuse"].map((onExhausted) => ({
    steps: { max: 40, onExhausted },
  })),
  { steps: { headless: "raise" } },
  { $schema: "x", turns: 25, steps: 40 },
  ...[0, 200_000, "200k", "1.5M", "1.5000k", "1.000001m", "unlimited", { max: "unlimited" }].map(
    (tokens) => ({
      tokens,
    }),
  ),
  ...[
    { onExhausted: "ask" },
    { onExhausted: "raise", headless: "raise" },
    { max: "200k", onExhausted: "stop", headless: "synthesize", reserve: "10k" },
    { reserve: 0, cacheReads: true, cacheWrites: false },
  ].map((tokens) => ({ tokens })),
  ...[0, 0.5, 1e21, "$5", "$0.50", "unlimited", { max: "$5", reserve: 0.25 }].map((cost) => ({ cost })),
  ...["warn", "stop", "tokens"].map((unpriced) => ({ cost: { unpriced } })),
  ...["0s", "90s", "10M", "1h30m15s", "1h15s", "unlimited", { max: "2h", headless: "stop" }].map((time) => ({
    time,
  })),
  ...[1, 3, "unlimited", { max: 3 }, { onExhausted: "refuse" }].map((repeats) => ({ repeats })),
  ...[0, 5, "unlimited", { max: 0 }, { max: "unlimited" }].map((bash) => ({ tools: { bash } })),
  { tools: {} },
  { tools: { bash: { max: 5, onExhausted: "stop", headless: "refuse" }, "mcp.tool": 1 } },
  { turns: [5] },
  { turns: { max: 100, per: "session", onExhausted: "stop", headless: "synthesize" } },
  { steps: [40, { max: 200, per: "session" }] },
  { tokens: { max: "2m", per: "week", cacheReads: true, cacheWrites: false } },
  { cost: [2, { max: "$20", per: "day", unpriced: "stop" }, { max: "unlimited", per: "month" }] },
  { time: [{ max: "2h", per: "month" }, { onExhausted: "stop" }] },
  { boundary: "confirm" },
  { boundary: "menu" },
])("an editor and the extension both accept %j", (values) => {
  expect(isValid(values)).toBe(true);
  expect(isAccepted(values)).toBe(true);
});

test.each([
  ...[-1, 1.5, 1e20, "25", "abc", "", null, true, [], [[5]], {}, { max: -1 }, { max: 5, mx: 6 }].map(
    (turns) => ({
      turns,
    }),
  ),
  ...[{ grace: -1 }, { grace: 1.5 }, { headless: "refuse" }, { message: "" }, { message: 5 }].map(
    (turns) => ({
      turns,
    }),
  ),
  ...[0, -1, 1.5, "40", null, {}, { max: 0 }, { max: 5, onExhausted: "x" }].map((steps) => ({
    steps,
  })),
  ...["tokens", "cost", "time", "repeats"].flatMap((budget) =>
    [...noAmounts, ...noBudgets].map((value) => ({ [budget]: value })),
  ),
  ...noAmounts.map((bash) => ({ tools: { bash } })),
  ...[1.5, "k", "1.5", "1.0005k", "1.0000001m", ".5k", "200k stop", " 200k", "٣k", "$5"].map((tokens) => ({
    tokens,
  })),
  ...[
    { reserve: -1 },
    { reserve: "unlimited" },
    { onExhausted: "refuse" },
    { cacheReads: "yes" },
    { unpriced: "warn" },
  ].map((tokens) => ({
    tokens,
  })),
  ...[
    "$",
    "5",
    "$1e3",
    "$.5",
    "$5 stop",
    "5k",
    { reserve: "5" },
    { unpriced: "x" },
    { cacheReads: true },
  ].map((cost) => ({ cost })),
  ...[0, 600, "600", "10m10m", "30m1h", "1.5h", "1h 30m", "10m stop", { max: 5 }, { reserve: "1m" }].map(
    (time) => ({
      time,
    }),
  ),
  ...[0, 1.5, "3k", { max: 0 }, { reserve: 1 }].map((repeats) => ({ repeats })),
  ...[{ onExhausted: "stop" }, { max: 5, onExhausted: "explode" }, { max: 5, mx: 6 }, "5k"].map((bash) => ({
    tools: { bash },
  })),
  ...["turns", "steps", "tokens", "cost", "time"].flatMap((kind) =>
    [{ per: "day" }, { max: "unlimited", per: "year" }, { max: "unlimited", per: null }, ["lots"]].flatMap(
      (value) => [{ [kind]: value }, { [kind]: [value] }],
    ),
  ),
  { turns: { max: 100, per: "day", grace: 3 } },
  { turns: { max: 100, per: "day", message: "Finish." } },
  { tokens: { max: 100, per: "day", reserve: 1 } },
  { cost: { max: 100, per: "day", reserve: 1 } },
  { repeats: { max: 3, per: "day" } },
  { repeats: [3] },
  { tools: { bash: { max: 3, per: "day" } } },
  { tools: { bash: [3] } },
  ...[5, null, [], "bash"].map((tools) => ({ tools })),
  ...["", "ask", null, true].map((boundary) => ({ boundary })),
])("an editor and the extension both refuse %j", (values) => {
  expect(isValid(values)).toBe(false);
  expect(isAccepted(values)).toBe(false);
});

test("the published schema is the one of the table of limits: npm run schema writes it", () => {
  expect(JSON.stringify(schema, null, 2)).toBe(JSON.stringify(settingsSchema(), null, 2));
});

test("an editor refuses a misspelt setting", () => {
  expect(isValid({ turn: 5 })).toBe(false);
  expect(isValid({ projectMayRaise: true })).toBe(true);
});
