import { beginLast, DECIDABLE, end, hold, onRun, type Rules } from "./Rule.ts";
import {
  type Deed,
  isStricter,
  type Reached,
  strictest,
  strictestBudget,
  turnLimitDeed,
} from "./strictness.ts";
import { isOutOfTurns, type Run, type World } from "./World.ts";

/** What happens before a turn that a budget does not cover. */
export const BUDGET_RULES: Rules = {
  BudgetReached: atBoundary("ask", {
    requires: (run, world) => run.status === "running" && !isAtTurnLimit(run, world),
    ensures: (run, _world, { boundary }) => hold(run, boundary),
  }),
  HeldTurnAskedAgain: onRun("TurnRequested", ["awaiting_confirmation"], {
    requires: (run, world) => strictest(world, run.retryDue)?.deed === "ask",
    ensures: (run, world) => {
      run.question = strictest(world, run.retryDue)?.boundary ?? null;
    },
  }),
  BudgetDeclineStands: atBoundary("decline", {
    requires: (run, world) => !isAtTurnLimit(run, world),
    ensures: (run, _world, { boundary }) => end(run, "declining", boundary),
  }),
  BudgetStops: atBoundary("stop", {
    requires: (run, world, reached) => !isAtTurnLimit(run, world) && policyOf(reached) === "stop",
    ensures: stop,
  }),
  BudgetReachedHeadless: atBoundary("stop", {
    requires: (run, world, reached) => !isAtTurnLimit(run, world) && policyOf(reached) === "ask",
    ensures: stop,
  }),
  BudgetSynthesizes: atBoundary("synthesize", {
    requires: (run, world, reached) =>
      !isAtTurnLimit(run, world) && run.turns >= 1 && policyOf(reached) === "synthesize",
    ensures: synthesize,
  }),
  BudgetSynthesizesHeadless: atBoundary("synthesize", {
    requires: (run, world, reached) =>
      !isAtTurnLimit(run, world) && run.turns >= 1 && policyOf(reached) === "ask",
    ensures: synthesize,
  }),
  BudgetLeavesNothingToTell: atBoundary("synthesize", {
    requires: (run, world) => !isTurnLimitFirst(run, world, "synthesize") && run.turns === 0,
    ensures: stop,
  }),
  StricterBudgetStops: atBoundary("stop", {
    requires: (run, world, reached) =>
      isAtTurnLimit(run, world) && !isTurnLimitFirst(run, world, "stop") && !reached.unpriced,
    ensures: stop,
  }),
  StricterBudgetSynthesizes: atBoundary("synthesize", {
    requires: (run, world) =>
      isAtTurnLimit(run, world) && !isTurnLimitFirst(run, world, "synthesize") && run.turns >= 1,
    ensures: synthesize,
  }),
  UnpricedModelStops: atBoundary("stop", {
    requires: (run, world, reached) =>
      !isTurnLimitFirst(run, world, "stop") && reached.unpriced !== undefined,
    ensures: (run, _world, { boundary }) => end(run, "stopping", { ...boundary, unpriced: true }),
  }),
};

/** A rule for the turn before which the strictest of the budgets that are reached does this. */
function atBoundary(
  deed: Deed,
  rule: {
    requires(run: Run, world: World, reached: Reached): boolean;
    ensures(run: Run, world: World, reached: Reached): void;
  },
) {
  return onRun("TurnRequested", DECIDABLE, {
    requires: (run, world) => {
      const reached = strictestBudget(world);
      if (!run.retryDue && world.stepsExceeded) return false;
      return reached?.deed === deed && rule.requires(run, world, reached);
    },
    ensures: (run, world) => rule.ensures(run, world, strictestBudget(world) as Reached),
  });
}

/** Has the turn limit something to say, too? */
function isAtTurnLimit(run: Run, world: World): boolean {
  return !run.retryDue && isOutOfTurns(world);
}

/** Does the turn limit do this, or something stricter? It is reported before the budgets. */
function isTurnLimitFirst(run: Run, world: World, deed: Deed): boolean {
  return isAtTurnLimit(run, world) && !isStricter(deed, turnLimitDeed(world));
}

function policyOf({ budget, unpriced }: Reached): string | undefined {
  return unpriced ? undefined : budget?.terms?.onExhausted;
}

function stop(run: Run, _world: World, { boundary }: Reached): void {
  end(run, "stopping", boundary);
}

function synthesize(run: Run, world: World, { boundary }: Reached): void {
  beginLast(run, world, boundary);
}
