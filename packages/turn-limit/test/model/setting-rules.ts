import type { Max } from "../../src/index.ts";
import { boundaryOf, isOut, startOver } from "./Budget.ts";
import {
  type Details,
  type Rule,
  type Rules,
  startEverythingOver,
  startRound,
  withdrawQuestion,
} from "./Rule.ts";
import { deedOf, type Reached, strictest } from "./strictness.ts";
import type { World } from "./World.ts";

/** What a changed limit changes. */
export const SETTING_RULES: Rules = {
  LimitChanged: {
    when: "UserSetsLimit",
    requires: (world) => world.max !== "unlimited",
    ensures: setMax,
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
    ensures: setMax,
  },
  LimitRemovedAgain: {
    when: "UserRemovesLimit",
    requires: (world) => world.max === "unlimited",
    ensures: (world) => {
      world.declined = false;
    },
  },

  BudgetChanged: onBudget("UserSetsBudget", true, (world, details) => setTerms(world, details)),
  BudgetReEnabled: onBudget("UserSetsBudget", false, (world, details) => {
    setTerms(world, details);
    if (details.budget) startOver(world.budgets[details.budget]);
  }),
  BudgetRemoved: {
    when: "UserRemovesBudget",
    requires: () => true,
    ensures: (world, details) => setTerms(world, details),
  },

  QuestionStands: {
    when: "LimitsChanged",
    requires: (world) => isAsking(world) && isStillTheQuestion(world),
    ensures: (world) => {
      if (world.run) world.run.question = inTheWay(world)?.boundary ?? null;
    },
  },
  QuestionOvertaken: {
    when: "LimitsChanged",
    requires: (world) =>
      world.run?.status === "awaiting_confirmation" && isAsking(world) && !isStillTheQuestion(world),
    ensures: withdrawQuestion,
  },
  TimeQuestionOvertaken: {
    when: "LimitsChanged",
    requires: (world) =>
      world.run?.status !== "awaiting_confirmation" && isAsking(world) && !isStillTheQuestion(world),
    ensures: withdrawQuestion,
  },

  StepBudgetChanged: {
    when: "UserSetsStepBudget",
    requires: () => true,
    ensures: (world, { steps = null }) => {
      world.steps = steps;
      if (!steps || world.stepsUsed < steps.max) world.stepsExceeded = false;
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
      startEverythingOver(world);
      withdrawQuestion(world);
    },
  },
};

function setMax(world: World, { max = "unlimited" }: { max?: Max }): void {
  Object.assign(world, { max, turnAllowance: null, declined: false });
}

/** A rule about a budget that was a limit before, or was not. */
function onBudget(when: "UserSetsBudget", wasLimit: boolean, ensures: Rule["ensures"]): Rule {
  return {
    when,
    requires: ({ budgets }, { budget }) =>
      budget !== undefined && (budgets[budget].terms !== null) === wasLimit,
    ensures,
  };
}

/** What a person allowed of it for this round is over. */
function setTerms(world: World, { budget, terms }: Details): void {
  if (budget) Object.assign(world.budgets[budget], { terms: terms ?? null, allowance: null });
  world.declined = false;
}

function isAsking({ run }: World): boolean {
  return run !== undefined && run.question !== null;
}

/** Is it the same limit that stands in the way, and is it still to be asked about? */
function isStillTheQuestion(world: World): boolean {
  const reached = inTheWay(world);
  return reached?.deed === "ask" && reached.boundary.limit === world.run?.question?.limit;
}

/** Of the turn that is held, the strictest of all limits; of one that is under way, the time. */
function inTheWay(world: World): Reached | undefined {
  const { run, budgets } = world;
  if (run?.status === "awaiting_confirmation") return strictest(world, run.retryDue);
  const { time } = budgets;
  return isOut(time) ? { deed: deedOf(time, world), boundary: boundaryOf(time) } : undefined;
}
