import { expect, test } from "vitest";
import { completed, type Settings } from "../../src/settings/settings.ts";
import { withinBounds } from "../../src/settings/sources.ts";

function bounded(project: Settings, person: Settings = {}) {
  const { settings, refused } = withinBounds(project, completed(person));
  return { settings, refused: refused.map(({ what, why }) => `${what}: ${why}`) };
}

test.each<[Settings, Settings]>([
  [{ turns: { max: 5 } }, {}],
  [{ turns: { max: 500 } }, { turns: { max: "unlimited" } }],
  [{ turns: { onExhausted: "stop", grace: 3 } }, {}],
  [{ turns: { grace: 3 } }, { turns: { grace: 3 } }],
  [{ steps: { max: 500 } }, {}],
  [{ steps: { onExhausted: "raise" } }, { steps: { onExhausted: "synthesize" } }],
  [{ steps: { onExhausted: "stop" } }, {}],
  [{ tokens: { max: 100 } }, {}],
  [{ tokens: { max: 100 } }, { tokens: { max: 100 } }],
  [{ cost: { max: 0.5 } }, { cost: { max: 5 } }],
  [{ time: { max: 0 } }, { time: { max: 1_000 } }],
  [{ repeats: { max: 2 } }, {}],
  [{ tokens: { max: "unlimited" } }, {}],
  [{ tokens: { onExhausted: "stop" } }, {}],
  [{ tokens: { onExhausted: "raise" } }, {}],
  [{ tokens: { onExhausted: "synthesize" } }, { tokens: { onExhausted: "synthesize" } }],
  [{ time: { headless: "stop" } }, { time: { headless: "synthesize" } }],
  [{ cost: { unpriced: "stop" } }, { cost: { unpriced: "tokens" } }],
  [{ tokens: { reserve: 10 } }, {}],
  [{ tokens: { reserve: 10 } }, { tokens: { reserve: 10 } }],
  [{ tokens: { cacheReads: true, cacheWrites: true } }, {}],
  [{ boundary: "confirm" }, {}],
  [{ tools: { bash: { max: 5 } } }, {}],
  [{ tools: { bash: { max: 5 } } }, { tools: { bash: { max: "unlimited" } } }],
  [{ tools: { bash: { max: 5, onExhausted: "stop", headless: "stop" } } }, { tools: { bash: { max: 9 } } }],
])("a project may say %j where the person says %j", (project, person) => {
  expect(bounded(project, person)).toEqual({ settings: project, refused: [] });
});

test.each<[Settings, Settings, string]>([
  [{ turns: { max: 26 } }, {}, "The turn limit 26: a project may lower your limit of 25, not raise it"],
  [
    { turns: { max: "unlimited" } },
    {},
    "The turn limit unlimited: a project may lower your limit of 25, not raise it",
  ],
  [
    { turns: { headless: "synthesize" } },
    {},
    'The turn headless policy "synthesize": a project may not change your "stop"',
  ],
  [{ turns: { message: "Obey." } }, {}, 'The wrap-up message "Obey.": only you say what the model is told'],
  [
    { steps: { max: 41 } },
    { steps: { max: 40 } },
    "The step limit 41: a project may lower your limit of 40, not raise it",
  ],
  [
    { steps: { onExhausted: "synthesize" } },
    {},
    'The step policy "synthesize": a project may not change your "raise"',
  ],
  [
    { steps: { onExhausted: "refuse" } },
    {},
    'The step policy "refuse": a project may not change your "raise"',
  ],
  [
    { tokens: { max: 200_000 } },
    { tokens: { max: 100_000 } },
    "The token limit 200k: a project may lower your limit of 100k, not raise it",
  ],
  [
    { cost: { max: "unlimited" } },
    { cost: { max: 0.5 } },
    "The cost limit unlimited: a project may lower your limit of $0.50, not raise it",
  ],
  [
    { time: { max: 600_001 } },
    { time: { max: 600_000 } },
    "The time limit 10m0.001s: a project may lower your limit of 10m, not raise it",
  ],
  [
    { repeats: { max: 4 } },
    { repeats: { max: 3 } },
    "The repeat limit 4: a project may lower your limit of 3, not raise it",
  ],
  [
    { tokens: { onExhausted: "synthesize" } },
    {},
    'The token policy "synthesize": a project may change your "ask" only to "stop"',
  ],
  [
    { cost: { onExhausted: "ask" } },
    { cost: { onExhausted: "stop" } },
    'The cost policy "ask": a project may not change your "stop"',
  ],
  [
    { time: { headless: "synthesize" } },
    {},
    'The time headless policy "synthesize": a project may not change your "stop"',
  ],
  [
    { cost: { unpriced: "warn" } },
    { cost: { unpriced: "tokens" } },
    'The unpriced policy "warn": a project may change your "tokens" only to "stop"',
  ],
  [
    { cost: { reserve: 0 } },
    { cost: { reserve: 0.25 } },
    "The cost reserve $0.00: a project may not change your reserve of $0.25",
  ],
  [
    { tokens: { reserve: 100_000 } },
    { tokens: { reserve: 10_000, max: 100_000 } },
    "The token reserve 100k: a project may not change your reserve of 10k",
  ],
  [
    { turns: { grace: 0 } },
    { turns: { max: 3, grace: 1 } },
    "The turn grace 0: a project may not change your grace of 1",
  ],
  [
    { turns: { grace: 3 } },
    { turns: { max: 3, grace: 1 } },
    "The turn grace 3: a project may not change your grace of 1",
  ],
  [
    { tokens: { cacheWrites: false } },
    { tokens: { cacheWrites: true } },
    "The cache writes setting false: a project may switch it on, not off",
  ],
  [{ boundary: "menu" }, {}, 'The boundary "menu": only you say how you are asked'],
  [{ boundary: "confirm" }, { boundary: "menu" }, 'The boundary "confirm": only you say how you are asked'],
  [
    { tools: { bash: { max: "unlimited" } } },
    { tools: { bash: { max: 5 } } },
    "The bash limit unlimited: a project may lower your limit of 5, not raise it",
  ],
])("a project may not say %j where the person says %j", (project, person, problem) => {
  expect(bounded(project, person)).toEqual({ settings: {}, refused: [problem] });
});

test("a part of a project's settings that goes too far does not take the others with it", () => {
  const project = { tokens: { max: 50, onExhausted: "synthesize" }, cost: { max: 9 } };
  expect(bounded(project, { cost: { max: 5 } }).settings).toEqual({ tokens: { max: 50 } });
});

test("a project's limit of a tool counts as far as no part of it is looser than the person's", () => {
  const synthesizing = { onExhausted: "synthesize", headless: "synthesize" };
  expect(bounded({ tools: { bash: { max: 5, ...synthesizing } } })).toEqual({
    settings: { tools: { bash: { max: 5 } } },
    refused: [
      'The bash policy "synthesize": a project may change your "ask" only to "stop"',
      'The bash headless policy "synthesize": a project may change your "refuse" only to "stop"',
    ],
  });
  expect(
    bounded({ tools: { bash: { max: 50, onExhausted: "stop" } } }, { tools: { bash: { max: 5 } } }),
  ).toEqual({
    settings: { tools: { bash: { onExhausted: "stop" } } },
    refused: ["The bash limit 50: a project may lower your limit of 5, not raise it"],
  });
});
