import { onRun, type Rules } from "./Rule.ts";
import { type Run, stepBoundary, type World } from "./World.ts";

/** Which tool calls may begin. */
export const STEP_RULES: Rules = {
  StepUnbudgeted: onRun("ToolCallRequested", ["running"], {
    requires: (_run, { budget }) => budget === null,
    ensures: countStep,
  }),
  StepTaken: onRun("ToolCallRequested", ["running"], {
    requires: (_run, { budget, stepsUsed }) => budget !== null && stepsUsed < budget.max,
    ensures: countStep,
  }),
  StepBudgetRaises: onRun("ToolCallRequested", ["running"], {
    requires: (_run, world) => hasNoneLeft(world) && world.budget?.onExhausted === "raise",
    ensures: stopOutOfSteps,
  }),
  StepBudgetSynthesizes: onRun("ToolCallRequested", ["running"], {
    requires: (run, world) =>
      hasNoneLeft(world) && world.budget?.onExhausted === "synthesize" && run.turns >= 1,
    ensures: (run, world) => {
      world.stepsExceeded = true;
      Object.assign(run, { status: "synthesis_due", touched: true, endedAt: stepBoundary(world) });
    },
  }),
  NothingToSynthesize: onRun("ToolCallRequested", ["running"], {
    requires: (run, world) =>
      hasNoneLeft(world) && world.budget?.onExhausted === "synthesize" && run.turns === 0,
    ensures: stopOutOfSteps,
  }),
  StepRefusedAfterExhaustion: onRun("ToolCallRequested", ["synthesis_due", "synthesizing"], {
    ensures: () => {},
  }),
  StepRefusedBetweenTurns: onRun("ToolCallRequested", ["awaiting_confirmation", "declining", "stopping"], {
    ensures: () => {},
  }),
};

function hasNoneLeft({ budget, stepsUsed }: World): boolean {
  return budget !== null && stepsUsed >= budget.max;
}

function countStep(run: Run, world: World): void {
  world.stepsUsed += 1;
  run.steps += 1;
}

function stopOutOfSteps(run: Run, world: World): void {
  world.stepsExceeded = true;
  Object.assign(run, { status: "stopping", inFlight: false, touched: true, endedAt: stepBoundary(world) });
}
