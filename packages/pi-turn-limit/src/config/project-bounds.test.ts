import { expect, test } from "vitest";
import type { Claims } from "./LimitValues.ts";
import { withinBounds } from "./project-bounds.ts";
import { DEFAULTS } from "./resolve.ts";

function bounded(project: Claims, person: Claims = {}) {
  const { claims, beyond } = withinBounds(project, { ...DEFAULTS, ...person });
  return { claims, beyond: beyond.map(({ what, why }) => `${what}: ${why}`) };
}

const asking = { onExhausted: "ask", headless: "stop" } as const;

test.each<[Claims, Claims]>([
  [{ "tokens.max": 100 }, {}],
  [{ "tokens.max": 100 }, { "tokens.max": 100 }],
  [{ "cost.max": 0.5 }, { "cost.max": 5 }],
  [{ "time.max": 0 }, { "time.max": 1_000 }],
  [{ "repeats.max": 2 }, {}],
  [{ "tokens.max": "unlimited" }, {}],
  [{ "tokens.onExhausted": "stop" }, {}],
  [{ "tokens.onExhausted": "synthesize" }, { "tokens.onExhausted": "synthesize" }],
  [{ "time.headless": "stop" }, { "time.headless": "synthesize" }],
  [{ "cost.unpriced": "stop" }, { "cost.unpriced": "tokens" }],
  [{ "tokens.reserve": 10 }, {}],
  [{ "tokens.reserve": 10 }, { "tokens.reserve": 10 }],
  [{ "tokens.cacheReads": true, "tokens.cacheWrites": true }, {}],
  [{ boundary: "confirm" }, {}],
  [{ "tools.bash": { max: 5, ...asking } }, {}],
  [{ "tools.bash": { max: 5, ...asking } }, { "tools.bash": "unlimited" }],
  [
    { "tools.bash": { max: 5, onExhausted: "stop", headless: "stop" } },
    { "tools.bash": { max: 9, ...asking } },
  ],
])("a project may say %j where the person says %j", (project, person) => {
  expect(bounded(project, person)).toEqual({ claims: project, beyond: [] });
});

test.each<[Claims, Claims, string]>([
  [
    { "tokens.max": 200_000 },
    { "tokens.max": 100_000 },
    "The token limit 200k: a project may lower your limit of 100k, not raise it",
  ],
  [
    { "cost.max": "unlimited" },
    { "cost.max": 0.5 },
    "The cost limit unlimited: a project may lower your limit of $0.50, not raise it",
  ],
  [
    { "time.max": 600_001 },
    { "time.max": 600_000 },
    "The time limit 10m0.001s: a project may lower your limit of 10m, not raise it",
  ],
  [
    { "repeats.max": 4 },
    { "repeats.max": 3 },
    "The repeat limit 4: a project may lower your limit of 3, not raise it",
  ],
  [
    { "tokens.onExhausted": "synthesize" },
    {},
    'The token policy "synthesize": a project may change your "ask" only to "stop"',
  ],
  [
    { "cost.onExhausted": "ask" },
    { "cost.onExhausted": "stop" },
    'The cost policy "ask": a project may not change your "stop"',
  ],
  [
    { "time.headless": "synthesize" },
    {},
    'The time headless policy "synthesize": a project may not change your "stop"',
  ],
  [
    { "cost.unpriced": "warn" },
    { "cost.unpriced": "tokens" },
    'The unpriced policy "warn": a project may change your "tokens" only to "stop"',
  ],
  [
    { "cost.reserve": 0 },
    { "cost.reserve": 0.25 },
    "The cost reserve $0: a project may not change your reserve of $0.25",
  ],
  [
    { "tokens.reserve": 100_000 },
    { "tokens.reserve": 10_000, "tokens.max": 100_000 },
    "The token reserve 100k: a project may not change your reserve of 10k",
  ],
  [
    { "tokens.cacheWrites": false },
    { "tokens.cacheWrites": true },
    "The cache writes setting false: a project may switch it on, not off",
  ],
  [{ boundary: "menu" }, {}, 'The boundary "menu": only you say how you are asked'],
  [{ boundary: "confirm" }, { boundary: "menu" }, 'The boundary "confirm": only you say how you are asked'],
  [
    { "tools.bash": "unlimited" },
    { "tools.bash": { max: 5, onExhausted: "stop", headless: "stop" } },
    "The bash limit unlimited: a project may lower your limit of 5, not raise it",
  ],
])("a project may not say %j where the person says %j", (project, person, problem) => {
  expect(bounded(project, person)).toEqual({ claims: {}, beyond: [problem] });
});

test("a part of a project's settings that goes too far does not take the others with it", () => {
  const project: Claims = { "tokens.max": 50, "tokens.onExhausted": "synthesize", "cost.max": 9 };
  expect(bounded(project, { "cost.max": 5 }).claims).toEqual({ "tokens.max": 50 });
});

test("a project's limit of a tool counts as far as no part of it is looser than the person's", () => {
  const synthesizing = { onExhausted: "synthesize", headless: "synthesize" } as const;
  expect(bounded({ "tools.bash": { max: 5, ...synthesizing } })).toEqual({
    claims: { "tools.bash": { max: 5, ...asking } },
    beyond: [
      'The bash policy "synthesize": a project may change your "ask" only to "stop"',
      'The bash headless policy "synthesize": a project may not change your "stop"',
    ],
  });
  expect(
    bounded(
      { "tools.bash": { max: 50, onExhausted: "stop", headless: "stop" } },
      { "tools.bash": { max: 5, ...asking } },
    ),
  ).toEqual({
    claims: { "tools.bash": { max: 5, onExhausted: "stop", headless: "stop" } },
    beyond: ["The bash limit 50: a project may lower your limit of 5, not raise it"],
  });
});
