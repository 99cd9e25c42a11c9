import {
  beginAgain,
  beginLast,
  beginTurn,
  end,
  hold,
  onRun,
  type Rules,
  startEverythingOver,
  WORKING,
} from "./Rule.ts";
import { type Deed, isStricter, reachedBudgets, strictestBudget, turnLimitDeed } from "./strictness.ts";
import {
  isOutOfTurns,
  newRun,
  type Run,
  stepBoundary,
  turnBoundary,
  turnsAllowed,
  type World,
} from "./World.ts";

/** When a run and a turn may begin, and how a turn ends. */
export const TURN_RULES: Rules = {
  PersonPrompts: {
    when: "PromptReceived",
    requires: () => true,
    ensures: (world) => {
      startEverythingOver(world);
      world.wrapUpRequested = false;
      world.run = newRun();
    },
  },
  ProgramContinues: {
    when: "ContinuationReceived",
    requires: (world) => !world.run,
    ensures: (world) => {
      world.wrapUpRequested = false;
      world.run = newRun();
    },
  },

  TurnAdmitted: onRun("TurnRequested", ["running"], {
    requires: (run, world) =>
      wantsNewTurn(run, world) && isUnhindered(world) && turnsAllowed(world) !== "unlimited",
    ensures: beginTurn,
  }),
  TurnAdmittedUnlimited: onRun("TurnRequested", ["running"], {
    requires: (run, world) =>
      wantsNewTurn(run, world) && isUnhindered(world) && turnsAllowed(world) === "unlimited",
    ensures: beginTurn,
  }),
  TurnLimitReached: onRun("TurnRequested", ["running"], {
    requires: (run, world) => turnLimitDecides(run, world, "ask"),
    ensures: (run, world) => hold(run, turnBoundary(world)),
  }),
  DeclineStands: onRun("TurnRequested", ["running"], {
    requires: (run, world) => turnLimitDecides(run, world, "decline"),
    ensures: (run, world) => end(run, "declining", turnBoundary(world)),
  }),
  TurnLimitReachedHeadless: onRun("TurnRequested", ["running"], {
    requires: (run, world) =>
      turnLimitDecides(run, world, "stop") || (turnLimitDecides(run, world, "synthesize") && run.turns === 0),
    ensures: (run, world) => end(run, "stopping", turnBoundary(world)),
  }),
  TurnLimitSynthesizesHeadless: onRun("TurnRequested", ["running"], {
    requires: (run, world) => turnLimitDecides(run, world, "synthesize") && run.turns >= 1,
    ensures: (run, world) => beginLast(run, world, turnBoundary(world)),
  }),
  ExhaustedRunStops: onRun("TurnRequested", ["running"], {
    requires: (run, world) => !run.retryDue && world.stepsExceeded,
    ensures: (run, world) => end(run, "stopping", stepBoundary(world)),
  }),
  SynthesisBegins: onRun("TurnRequested", ["synthesis_due"], {
    ensures: (run, world) => beginLast(run, world),
  }),
  SynthesisNeverRepeats: onRun("TurnRequested", ["synthesizing"], {
    requires: (run) => !run.retryDue,
    ensures: (run) => end(run, "stopping", run.endedAt),
  }),
  TurnRetried: onRun("TurnRequested", ["running", "synthesizing"], {
    requires: (run, world) =>
      run.retryDue && (run.status === "synthesizing" || reachedBudgets(world).length === 0),
    ensures: beginAgain,
  }),

  TurnCompletes: onRun("TurnAnswered", WORKING, {
    requires: (run) => run.inFlight || run.retryDue,
    ensures: (run, world) => {
      world.completed = Math.min(world.completed + 1, world.used);
      Object.assign(run, { mishap: "absent", inFlight: false, retryDue: false });
    },
  }),
  TurnFails: onRun("TurnFailed", WORKING, {
    requires: (run) => run.inFlight,
    ensures: (run) => Object.assign(run, { mishap: "failed", inFlight: false, retryDue: true }),
  }),
  FailsBetweenTurns: onRun("TurnFailed", WORKING, {
    requires: (run) => !run.inFlight,
    ensures: (run) => Object.assign(run, { mishap: "failed" }),
  }),
  TurnCancelled: onRun("TurnAborted", WORKING, {
    ensures: (run) => Object.assign(run, { mishap: "aborted", inFlight: false, retryDue: false }),
  }),
  AnswerDiscarded: onRun("TurnDiscarded", WORKING, {
    requires: (run) => run.mishap === "absent" && !run.inFlight && run.turns >= 1,
    ensures: (run, world) => {
      world.completed = Math.max(world.completed - 1, 0);
      Object.assign(run, { mishap: "failed", retryDue: true });
    },
  }),
};

function wantsNewTurn(run: Run, world: World): boolean {
  return !run.retryDue && !world.stepsExceeded;
}

function isUnhindered(world: World): boolean {
  return !isOutOfTurns(world) && reachedBudgets(world).length === 0;
}

/** The round has no turn left, the turn limit does this about it, and no budget is stricter. */
function turnLimitDecides(run: Run, world: World, deed: Deed): boolean {
  if (!wantsNewTurn(run, world) || !isOutOfTurns(world) || turnLimitDeed(world) !== deed) return false;
  const budget = strictestBudget(world);
  return !budget || !isStricter(budget.deed, deed);
}
