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

test.each([-1, 2.5, "5", Number.NaN])("%j turns are refused [LimitIsNotNegative]", (max) => {
  expectRefused({ turns: max }, "turns.max");
  expectRefused({ turns: { max } }, "turns.max");
});

test.each([0, -1, "40"])("%j steps are refused: at least one is admitted [BudgetIsPositive]", (max) => {
  expectRefused({ steps: max }, "steps.max");
  expectRefused({ steps: { max } }, "steps.max");
});

test.each(["ask", null])("%j is no policy where nobody can be asked [HeadlessNeverAsks]", (headless) => {
  expectRefused({ turns: { headless } }, "turns.headless");
});

test.each<[unknown, string]>([
  [{ turns: null }, "turns"],
  [{ turns: { grace: -1 } }, "turns.grace"],
  [{ turns: { grace: 1.5 } }, "turns.grace"],
  [{ turns: { grace: "3" } }, "turns.grace"],
  [{ steps: null }, "steps"],
  [{ steps: { max: 5, onExhausted: "explode" } }, "steps.onExhausted"],
])("%j is refused by the name of what is wrong with it [BadSettingsRefused]", (settings, name) => {
  expectRefused(settings, name);
});

/** Neither is a governor made with them, nor is one changed, not even by what else they say. */
function expectRefused(settings: unknown, name: string): void {
  const refusal = new RegExp(`^${name} must be `);
  expect(refusalOf(() => createGovernor(settings as GovernorOptions))).toMatch(refusal);
  const governor = asking();
  const before = governor.state;
  const changed = { tokens: 5, ...(settings as GovernorSettings) };
  expect(refusalOf(() => governor.configure(changed))).toMatch(refusal);
  expect(governor.state).toEqual(before);
}

function refusalOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (isInvalidLimit(error)) return error.message;
    throw error;
  }
}
