import { expect, test } from "vitest";
import {
  createGovernor,
  type GovernorOptions,
  type GovernorSettings,
  isInvalidLimit,
} from "../../src/index.ts";
import { asking } from "../helpers/runs.ts";

test("a turn limit, a step limit, a grace and a policy are what they were given as [SessionOpens]", () => {
  const governor = createGovernor({
    turns: { max: 9, grace: 2, headless: "synthesize" },
    steps: { max: 40, onExhausted: "synthesize" },
  });
  expect(governor.view.settings).toMatchObject({
    turns: { max: 9, grace: 2, headless: "synthesize" },
    steps: { max: 40, onExhausted: "synthesize" },
  });
});

test("what is not said is 25 turns, any number of steps, no wrap-up, and a stop where nobody can be asked [SessionOpens]", () => {
  for (const governor of [createGovernor(), createGovernor({ turns: {} })]) {
    expect(governor.view.settings).toMatchObject({
      turns: { max: 25, onExhausted: "ask", headless: "stop", grace: 0 },
      steps: { max: "unlimited", onExhausted: "raise", headless: "stop" },
      tokens: { max: "unlimited", onExhausted: "ask", headless: "stop" },
      tools: {},
      limits: [],
      canAsk: false,
    });
  }
});

test.each<[unknown, string]>([
  [{ turns: -1 }, "turns.max"],
  [{ turns: 2.5 }, "turns.max"],
  [{ turns: null }, "turns"],
  [{ turns: "5" }, "turns.max"],
  [{ turns: { max: Number.NaN } }, "turns.max"],
  [{ turns: { grace: -1 } }, "turns.grace"],
  [{ turns: { grace: "3" } }, "turns.grace"],
  [{ turns: { headless: "ask" } }, "turns.headless"],
  [{ turns: { headless: null } }, "turns.headless"],
  [{ steps: 0 }, "steps.max"],
  [{ steps: -1 }, "steps.max"],
  [{ steps: "40" }, "steps.max"],
  [{ steps: null }, "steps"],
  [{ steps: { max: 5, onExhausted: "explode" } }, "steps.onExhausted"],
])(
  "%j is refused by the name of what is wrong with it [LimitIsNotNegative] [BudgetIsPositive] [HeadlessNeverAsks]",
  (options, name) => {
    expect(refusalOf(() => createGovernor(options as GovernorOptions))).toMatch(
      new RegExp(`^${name} must be `),
    );
  },
);

test.each<[GovernorSettings, string]>([
  [{ turns: -1 }, "turns.max"],
  [{ turns: { grace: 1.5 } }, "turns.grace"],
  [{ turns: { headless: "ask" as "stop" } }, "turns.headless"],
  [{ steps: 0 }, "steps.max"],
  [{ steps: { max: 5, onExhausted: "explode" as "stop" } }, "steps.onExhausted"],
])(
  "changing the settings to %j is refused and changes nothing [LimitIsNotNegative] [BudgetIsPositive] [BadSettingsRefused]",
  (settings, name) => {
    const governor = asking();
    const before = governor.state;
    const refusal = refusalOf(() => governor.configure({ tokens: 5, ...settings }));
    expect(refusal).toMatch(new RegExp(`^${name} must be `));
    expect(governor.state).toEqual(before);
  },
);

function refusalOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (isInvalidLimit(error)) return error.message;
    throw error;
  }
}
