import assert from "node:assert/strict";
import { type Headless, isInvalidLimit, type Max } from "../../src/index.ts";
import type { Action } from "./actions.ts";
import type { BudgetName, Terms } from "./Budget.ts";
import { happens } from "./rules.ts";
import { settingOf } from "./Subject.ts";
import type { StepTerms } from "./World.ts";

export function changeLimit(max: Max): Action {
  return (world, { governor, onlooker }) => {
    const rule = happens(world, max === "unlimited" ? "UserRemovesLimit" : "UserSetsLimit", { max });
    happens(world, "LimitsChanged");
    governor.maxTurns = max;
    if (rule === "LimitReEnabled") onlooker.sawNewRound();
    else onlooker.sawNewTurnLimit();
  };
}

export function changeSteps(steps: StepTerms | null): Action {
  return (world, { governor, onlooker }) => {
    happens(world, "UserSetsStepBudget", { steps });
    governor.steps = steps ?? "unlimited";
    if (!world.stepsExceeded) onlooker.sawNewStepBudget();
  };
}

export function changeBudget(budget: BudgetName, terms: Terms | null): Action {
  return (world, { governor }) => {
    if (terms) happens(world, "UserSetsBudget", { budget, terms });
    else happens(world, "UserRemovesBudget", { budget });
    happens(world, "LimitsChanged");
    governor.setBudgets(settingOf(budget, terms));
  };
}

export function changeGrace(grace: number): Action {
  return (world, { governor }) => {
    happens(world, "UserSetsWrapUp", { grace });
    governor.grace = grace;
  };
}

/** The dynamic grace is something else from now on. */
export function offerGrace(grace: number | undefined): Action {
  return (world, subject) => {
    world.offeredGrace = grace;
    subject.offeredGrace = grace;
  };
}

export function changeHeadless(headless: Headless): Action {
  return (world, { governor }) => {
    happens(world, "UserSetsHeadlessPolicy", { headless });
    governor.headless = headless;
  };
}

/** What is no limit is none for any of them, and changes nothing. */
export function refuse(value: number): Action {
  return (world, { governor }) => {
    const sets = [
      () => Object.assign(governor, { maxTurns: value }),
      () => Object.assign(governor, { steps: value }),
      () => Object.assign(governor, { grace: value }),
      () => Object.assign(governor, { headless: value }),
      () => governor.setBudgets({ tokens: value }),
      () => governor.setBudgets({ tools: { read: value } }),
    ];
    for (const set of sets) assert.throws(set, isInvalidLimit);
    if (world.run?.question) assert.throws(() => governor.answer({ more: Number.NaN }), isInvalidLimit);
  };
}
