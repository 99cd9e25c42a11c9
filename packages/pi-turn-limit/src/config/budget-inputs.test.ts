import fc from "fast-check";
import { expect, test } from "vitest";
import { costLimitInput, timeLimitInput, tokenLimitInput } from "./budget-inputs.ts";
import type { Claims, OnBudgetExhausted } from "./LimitValues.ts";
import { DEFAULTS } from "./resolve.ts";

test.each([
  ["0", { "tokens.max": 0 }],
  [" 200K ", { "tokens.max": 200_000 }],
  ["UNLIMITED", { "tokens.max": "unlimited" }],
  ["200k Ask", { "tokens.max": 200_000, "tokens.onExhausted": "ask" }],
  ["200k synthesize", { "tokens.max": 200_000, "tokens.onExhausted": "synthesize" }],
  ["200k reserve 10k", { "tokens.max": 200_000, "tokens.reserve": 10_000 }],
  ["1.5m\tSTOP  reserve 0", { "tokens.max": 1_500_000, "tokens.onExhausted": "stop", "tokens.reserve": 0 }],
])("the token limit %j says %j", (text, claims) => {
  expect(tokenLimitInput.parse(text)).toEqual(claims);
});

test.each([
  ["5", { "cost.max": 5 }],
  ["$0.50", { "cost.max": 0.5 }],
  ["unlimited", { "cost.max": "unlimited" }],
  ["$5 stop reserve $0.25", { "cost.max": 5, "cost.onExhausted": "stop", "cost.reserve": 0.25 }],
])("the cost limit %j says %j", (text, claims) => {
  expect(costLimitInput.parse(text)).toEqual(claims);
});

test.each([
  ["0s", { "time.max": 0 }],
  ["1H30M", { "time.max": 5_400_000 }],
  ["unlimited", { "time.max": "unlimited" }],
  ["10m synthesize", { "time.max": 600_000, "time.onExhausted": "synthesize" }],
])("the time limit %j says %j", (text, claims) => {
  expect(timeLimitInput.parse(text)).toEqual(claims);
});

const NOTHING = [
  "",
  " ",
  "stop",
  "reserve 10",
  "-1",
  "NaN",
  "Infinity",
  "unlimited stop",
  "unlimited reserve 1",
];

test.each([
  ...NOTHING,
  "200k raise",
  "200k 10k",
  "200k stop stop",
  "200k reserve",
  "200k reserve -1",
  "200k reserve unlimited",
  "200k reserve 10k stop",
  "200k reserve 10k 10k",
  "200k keep 10k",
  "$5",
])("the token limit %j is refused", (text) => {
  expect(tokenLimitInput.parse(text)).toBeUndefined();
});

test.each([...NOTHING, "$", "5k", "$5 raise", "$5 reserve", "$5 reserve 10%", "1e3"])(
  "the cost limit %j is refused",
  (text) => {
    expect(costLimitInput.parse(text)).toBeUndefined();
  },
);

test.each([
  ...NOTHING,
  "600",
  "30m1h",
  "10m10m",
  "10m reserve 1m",
  "10m stop reserve 1m",
  "10m raise",
  "1h 30m",
])("the time limit %j is refused", (text) => {
  expect(timeLimitInput.parse(text)).toBeUndefined();
});

test("a time without a unit is told which ones there are", () => {
  expect(timeLimitInput.allowed).toContain("a time such as 90s, 10m or 1h30m, or unlimited");
});

test.each([tokenLimitInput, costLimitInput, timeLimitInput])("what $command offers is accepted", (input) => {
  for (const suggestion of input.suggestions) expect(input.parse(suggestion)).toBeDefined();
});

test("a limit is written as it would be said, without what is the default", () => {
  expect(tokenLimitInput.format(DEFAULTS)).toBe("unlimited");
  expect(tokenLimitInput.format({ ...DEFAULTS, "tokens.max": 182_345 })).toBe("182345");
  const tokens: Claims = { "tokens.max": 200_000, "tokens.onExhausted": "stop", "tokens.reserve": 10_000 };
  expect(tokenLimitInput.format(tokens)).toBe("200k stop reserve 10k");
  expect(tokenLimitInput.format({ ...tokens, "tokens.max": "unlimited" })).toBe("unlimited");
  expect(costLimitInput.format({ "cost.max": 0.5, "cost.reserve": 0.25 })).toBe("$0.50 reserve $0.25");
  expect(timeLimitInput.format({ "time.max": 90_000, "time.onExhausted": "ask" })).toBe("1m30s");
});

test("what is written says the same again", () => {
  const policy = fc.constantFrom<OnBudgetExhausted>("stop", "synthesize");
  fc.assert(
    fc.property(fc.maxSafeNat(), policy, fc.integer({ min: 1 }), (max, onExhausted, reserve) => {
      const claims: Claims = {
        "tokens.max": max,
        "tokens.onExhausted": onExhausted,
        "tokens.reserve": reserve,
      };
      expect(tokenLimitInput.parse(tokenLimitInput.format(claims))).toEqual(claims);
    }),
  );
});

test("a limit is described with where it comes from, part by part if that differs", () => {
  const values = { ...DEFAULTS, "tokens.max": 200_000, "tokens.onExhausted": "stop" as const };
  expect(tokenLimitInput.describe(values, () => "--max-tokens")).toBe("200k stop (--max-tokens)");
  const sourceOf = (key: string) => (key === "tokens.max" ? "--max-tokens" : "your settings");
  expect(tokenLimitInput.describe({ ...values, "tokens.reserve": 10_000 }, sourceOf)).toBe(
    "200k (--max-tokens), stop (your settings), reserve 10k (your settings)",
  );
  expect(tokenLimitInput.describe(DEFAULTS, () => "default")).toBe("unlimited (default)");
});
