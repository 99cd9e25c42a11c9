import { expect, test } from "vitest";
import { budgetClaimsIn } from "./held-claims.ts";
import type { Claims } from "./LimitValues.ts";
import { DEFAULTS } from "./resolve.ts";

test("claims that were kept are the same claims again", () => {
  const claims: Claims = {
    "tokens.max": 200_000,
    "tokens.onExhausted": "synthesize",
    "tokens.reserve": 10_000,
    "tokens.cacheReads": true,
    "cost.max": 0.5,
    "cost.unpriced": "tokens",
    "time.max": 600_000,
    "repeats.max": 3,
    "repeats.headless": "synthesize",
    boundary: "menu",
    "tools.bash": { max: 0, onExhausted: "stop", headless: "stop" },
    "tools.read": "unlimited",
  };
  expect(budgetClaimsIn(JSON.parse(JSON.stringify(claims)))).toEqual(claims);
});

test("the defaults are values of their settings", () => {
  const { turns, grace, headless, wrapUpMessage, steps, ...budgets } = DEFAULTS;
  expect(budgetClaimsIn({ ...DEFAULTS })).toEqual(budgets);
});

test.each([
  ...[-1, 1.5, "200k", null, Number.NaN].map((max) => ({ "tokens.max": max })),
  ...[-1, "$5", Number.POSITIVE_INFINITY].map((max) => ({ "cost.max": max })),
  ...[-1, 0.5, "10m"].map((max) => ({ "time.max": max })),
  { "repeats.max": 0 },
  { "tokens.reserve": "unlimited" },
  { "tokens.onExhausted": "raise" },
  { "time.headless": "ask" },
  { "cost.unpriced": true },
  { "tokens.cacheReads": "yes" },
  { boundary: "shout" },
  ...[5, -1, {}, { max: 5 }, { max: -1, onExhausted: "ask", headless: "stop" }].map((bash) => ({
    "tools.bash": bash,
  })),
  { tokens: 5 },
  { "tokens.mx": 5 },
])("what is no claim is none: %j", (data) => {
  expect(budgetClaimsIn(data)).toEqual({});
});
