import { type Budget, boundaryOf, isFull } from "./Budget.ts";
import { end, onRun, type Rule, type Rules } from "./Rule.ts";
import { type Deed, deedOf } from "./strictness.ts";
import { type Run, stepBoundary, type World } from "./World.ts";

/** Which tool calls may begin. */
export const STEP_RULES: Rules = {
  StepUnbudgeted: onRun("ToolCallRequested", ["running"], {
    requires: (_run, world, { tool }) => world.steps === null && !uncovered(world, tool),
    ensures: (run, world, { tool }) => countStep(run, world, tool),
  }),
  StepTaken: onRun("ToolCallRequested", ["running"], {
    requires: (_run, world, { tool }) =>
      world.steps !== null && !hasNoneLeft(world) && !uncovered(world, tool),
    ensures: (run, world, { tool }) => countStep(run, world, tool),
  }),
  StepBudgetRaises: onRun("ToolCallRequested", ["running"], {
    requires: (_run, world) => hasNoneLeft(world) && world.steps?.onExhausted === "raise",
    ensures: (run, world, { tool }) => stopOutOfSteps(run, world, tool),
  }),
  StepBudgetSynthesizes: onRun("ToolCallRequested", ["running"], {
    requires: (run, world, { tool }) =>
      hasNoneLeft(world) &&
      world.steps?.onExhausted === "synthesize" &&
      !isStricterThanSteps(world, tool) &&
      run.turns >= 1,
    ensures: (run, world, { tool }) => {
      exceed(world, tool);
      Object.assign(run, { status: "synthesis_due", touched: true, endedAt: stepBoundary(world) });
    },
  }),
  NothingToSynthesize: onRun("ToolCallRequested", ["running"], {
    requires: (run, world, { tool }) =>
      hasNoneLeft(world) &&
      world.steps?.onExhausted === "synthesize" &&
      !isStricterThanSteps(world, tool) &&
      run.turns === 0,
    ensures: (run, world, { tool }) => stopOutOfSteps(run, world, tool),
  }),
  StepRefusedAfterExhaustion: onRun("ToolCallRequested", ["synthesis_due", "synthesizing"], {
    ensures: () => {},
  }),
  StepRefusedBetweenTurns: onRun(
    "ToolCallRequested",
    ["awaiting_confirmation", "declining", "stopping", "overrunning"],
    { ensures: () => {} },
  ),

  CallRefused: uncoveredCall(
    (_run, deed) => deed === "ask",
    (run) => Object.assign(run, { touched: true }),
  ),
  CallDeclineStands: uncoveredCall(
    (_run, deed) => deed === "decline",
    (run, budget) => end(run, "declining", boundaryOf(budget)),
  ),
  CallStops: uncoveredCall(
    (run, deed) => deed === "stop" || (deed === "synthesize" && run.turns === 0),
    (run, budget) => end(run, "stopping", boundaryOf(budget)),
  ),
  CallSynthesizes: uncoveredCall(
    (run, deed) => deed === "synthesize" && run.turns >= 1,
    (run, budget) =>
      Object.assign(run, { status: "synthesis_due", touched: true, endedAt: boundaryOf(budget) }),
  ),
};

/** A rule for a call that the budget of its tool does not cover. */
function uncoveredCall(
  requires: (run: Run, deed: Deed) => boolean,
  ensures: (run: Run, budget: Budget) => void,
): Rule {
  return onRun("ToolCallRequested", ["running"], {
    requires: (run, world, { tool }) => {
      const budget =
        hasNoneLeft(world) && !isStricterThanSteps(world, tool) ? undefined : uncovered(world, tool);
      return budget !== undefined && requires(run, deedOf(budget, world));
    },
    ensures: (run, world, { tool }) => {
      exceed(world, tool);
      ensures(run, world.budgets["tools.read"]);
    },
  });
}

/** The budget of the tool, if it does not cover one more call. */
function uncovered({ budgets }: World, tool: string | undefined): Budget | undefined {
  const own = budgets["tools.read"];
  return tool === "read" && isFull(own) ? own : undefined;
}

/** Is the tool's budget at its end, and does it end the run where the step limit would let it answer? */
function isStricterThanSteps(world: World, tool: string | undefined): boolean {
  const budget = uncovered(world, tool);
  if (!budget || world.steps?.onExhausted === "raise") return false;
  return ["stop", "decline"].includes(deedOf(budget, world));
}

/** The call was not covered by what it was not covered by. */
function exceed(world: World, tool: string | undefined): void {
  if (hasNoneLeft(world)) world.stepsExceeded = true;
  const budget = uncovered(world, tool);
  if (budget) budget.exceeded = true;
}

function hasNoneLeft({ steps, stepsUsed }: World): boolean {
  return steps !== null && stepsUsed >= steps.max;
}

function countStep(run: Run, world: World, tool: string | undefined): void {
  if (world.executed >= (world.steps?.max ?? Infinity)) run.breached.calls = true;
  world.stepsUsed += 1;
  run.steps += 1;
  if (tool !== "read") return;
  const own = world.budgets["tools.read"];
  own.used += 1;
  own.exceeded = false;
}

function stopOutOfSteps(run: Run, world: World, tool: string | undefined): void {
  exceed(world, tool);
  end(run, "stopping", stepBoundary(world));
}
