import assert from "node:assert/strict";
import { type Headless, isInvalidLimit, type Max } from "../../src/index.ts";
import type { Action } from "./actions.ts";
import { happens } from "./rules.ts";
import type { Budget } from "./World.ts";

export function changeLimit(max: Max): Action {
  return (world, { governor, onlooker }) => {
    const rule = happens(world, max === "unlimited" ? "UserRemovesLimit" : "UserSetsLimit", { max });
    governor.maxTurns = max;
    if (rule === "LimitReEnabled") onlooker.sawNewRound();
    else onlooker.sawNewTurnLimit();
  };
}

export function changeSteps(budget: Budget | null): Action {
  return (world, { governor, onlooker }) => {
    happens(world, "UserSetsStepBudget", { budget });
    governor.steps = budget ?? "unlimited";
    if (!world.stepsExceeded) onlooker.sawNewStepBudget();
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
  return (_world, { governor }) => {
    const sets = [
      () => Object.assign(governor, { maxTurns: value }),
      () => Object.assign(governor, { steps: value }),
      () => Object.assign(governor, { grace: value }),
      () => Object.assign(governor, { headless: value }),
    ];
    for (const set of sets) assert.throws(set, isInvalidLimit);
  };
}
