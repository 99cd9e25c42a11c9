import type { Max } from "../../src/index.ts";
import { type Rules, startRound, startSteps } from "./Rule.ts";
import type { World } from "./World.ts";

/** What a changed limit changes. */
export const SETTING_RULES: Rules = {
  LimitChanged: {
    when: "UserSetsLimit",
    requires: (world) => world.max !== "unlimited" && !isWaiting(world),
    ensures: setMax,
  },
  QuestionStands: {
    when: "UserSetsLimit",
    requires: (world, { max }) => world.max !== "unlimited" && isWaiting(world) && world.used >= Number(max),
    ensures: setMax,
  },
  QuestionOvertaken: {
    when: "UserSetsLimit",
    requires: (world, { max }) => world.max !== "unlimited" && isWaiting(world) && world.used < Number(max),
    ensures: (world, details) => {
      setMax(world, details);
      withdrawQuestion(world);
    },
  },
  LimitReEnabled: {
    when: "UserSetsLimit",
    requires: (world) => world.max === "unlimited",
    ensures: (world, details) => {
      setMax(world, details);
      startRound(world);
    },
  },
  LimitRemoved: {
    when: "UserRemovesLimit",
    requires: (world) => world.max !== "unlimited",
    ensures: (world) => {
      world.max = "unlimited";
      world.declined = false;
      withdrawQuestion(world);
    },
  },
  StepBudgetChanged: {
    when: "UserSetsStepBudget",
    requires: () => true,
    ensures: (world, { budget = null }) => {
      world.budget = budget;
      if (!budget || world.stepsUsed < budget.max) world.stepsExceeded = false;
    },
  },
  GraceChanged: {
    when: "UserSetsWrapUp",
    requires: () => true,
    ensures: (world, { grace = 0 }) => {
      world.grace = grace;
    },
  },
  HeadlessPolicyChanged: {
    when: "UserSetsHeadlessPolicy",
    requires: () => true,
    ensures: (world, { headless = "stop" }) => {
      world.headless = headless;
    },
  },
  CountersReset: {
    when: "ResetRequested",
    requires: () => true,
    ensures: (world) => {
      startRound(world);
      startSteps(world);
      world.declined = false;
      withdrawQuestion(world);
    },
  },
};

function setMax(world: World, { max }: { max?: Max }): void {
  world.max = max ?? world.max;
  world.declined = false;
}

function isWaiting({ run }: World): boolean {
  return run?.status === "awaiting_confirmation";
}

function withdrawQuestion({ run }: World): void {
  if (run?.status === "awaiting_confirmation") run.status = "running";
}
