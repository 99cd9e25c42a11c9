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
    ensures: stopOutOfSteps,
  }),
  StepBudgetSynthesizes: onRun("ToolCallRequested", ["running"], {
    requires: (run, world) =>
      hasNoneLeft(world) && world.steps?.onExhausted === "synthesize" && run.turns >= 1,
    ensures: (run, world) => {
      world.stepsExceeded = true;
      Object.assign(run, { status: "synthesis_due", touched: true, endedAt: stepBoundary(world) });
    },
  }),
  NothingToSynthesize: onRun("ToolCallRequested", ["running"], {
    requires: (run, world) =>
      hasNoneLeft(world) && world.steps?.onExhausted === "synthesize" && run.turns === 0,
    ensures: stopOutOfSteps,
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
      const budget = hasNoneLeft(world) ? undefined : uncovered(world, tool);
      return budget !== undefined && requires(run, deedOf(budget, world));
    },
    ensures: (run, world) => {
      const budget = world.budgets["tools.read"];
      budget.exceeded = true;
      ensures(run, budget);
    },
  });
}

/** The budget of the tool, if it does not cover one more call. */
function uncovered({ budgets }: World, tool: string | undefined): Budget | undefined {
  const own = budgets["tools.read"];
  return tool === "read" && isFull(own) ? own : undefined;
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

function stopOutOfSteps(run: Run, world: World): void {
  world.stepsExceeded = true;
  end(run, "stopping", stepBoundary(world));
}
