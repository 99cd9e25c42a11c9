import { expect, test } from "vitest";
import { asking } from "../../test/runs.ts";
import { isInvalidLimit } from "../errors/InvalidLimit.ts";
import { createGovernor } from "./createGovernor.ts";
import type { GovernorOptions } from "./GovernorOptions.ts";

test("a turn limit, a step limit, a grace and a policy are what they were given as [SessionOpens]", () => {
  const governor = createGovernor({
    turns: { max: 9, grace: 2, headless: "synthesize" },
    steps: { max: 40, onExhausted: "synthesize" },
  });
  const { maxTurns, grace, headless, steps } = governor;
  expect({ maxTurns, grace, headless, steps }).toEqual({
    maxTurns: 9,
    grace: 2,
    headless: "synthesize",
    steps: { max: 40, onExhausted: "synthesize" },
  });
});

test("what is not said is 25 turns, any number of steps, no wrap-up, and a stop where nobody can be asked [SessionOpens]", () => {
  for (const governor of [createGovernor(), createGovernor({ turns: {} })]) {
    const { maxTurns, grace, headless, steps } = governor;
    expect({ maxTurns, grace, headless, steps }).toEqual({
      maxTurns: 25,
      grace: 0,
      headless: "stop",
      steps: "unlimited",
    });
  }
});

test.each<[unknown, string]>([
  [{ turns: -1 }, "turns.max"],
  [{ turns: 2.5 }, "turns.max"],
  [{ turns: null }, "turns.max"],
  [{ turns: "5" }, "turns.max"],
  [{ turns: { max: Number.NaN } }, "turns.max"],
  [{ turns: { grace: -1 } }, "turns.grace"],
  [{ turns: { grace: "3" } }, "turns.grace"],
  [{ turns: { headless: "ask" } }, "turns.headless"],
  [{ turns: { headless: null } }, "turns.headless"],
  [{ steps: 0 }, "steps.max"],
  [{ steps: -1 }, "steps.max"],
  [{ steps: "40" }, "steps.max"],
  [{ steps: null }, "steps.max"],
  [{ steps: {} }, "steps.max"],
  [{ steps: { max: "unlimited" } }, "steps.max"],
  [{ steps: { max: 5, onExhausted: "explode" } }, "steps.onExhausted"],
])(
  "%j is refused by the name of what is wrong with it [LimitIsNotNegative] [BudgetIsPositive]",
  (options, name) => {
    expect(refusalOf(() => createGovernor(options as GovernorOptions))).toMatch(
      new RegExp(`^${name} must be `),
    );
  },
);

test.each([
  ["maxTurns", -1, "turns.max"],
  ["grace", 1.5, "turns.grace"],
  ["headless", "ask", "turns.headless"],
  ["steps", 0, "steps.max"],
  ["steps", { max: 5, onExhausted: "explode" }, "steps.onExhausted"],
])(
  "setting %s to %j is refused and changes nothing [LimitIsNotNegative] [BudgetIsPositive]",
  (setting, value, name) => {
    const governor = asking();
    const before = governor.state;
    const refusal = refusalOf(() => Object.assign(governor, { [setting]: value }));
    expect(refusal).toMatch(new RegExp(`^${name} must be `));
    expect(governor.state).toEqual(before);
  },
);

test("a damaged counter is refused rather than never reaching its limit", () => {
  const { state } = asking();
  const damaged = { ...state, steps: { ...state.steps, used: Number.NaN } };
  expect(refusalOf(() => createGovernor({ state: damaged }))).toMatch(/^steps\.used must be /);
});

function refusalOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    if (isInvalidLimit(error)) return error.message;
    throw error;
  }
}
