import { beginTurn, onRun, type Rules, startRound, startSteps } from "./Rule.ts";
import { newRun, type Run, stepBoundary, turnBoundary, type World } from "./World.ts";

const WORKING: Run["status"][] = ["running", "synthesis_due", "synthesizing"];

/** When a run and a turn may begin, and how a turn ends. */
export const TURN_RULES: Rules = {
  PersonPrompts: {
    when: "PromptReceived",
    requires: () => true,
    ensures: (world) => {
      startRound(world);
      startSteps(world);
      world.wrapUpRequested = false;
      world.declined = false;
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
    requires: (run, world) => wantsNewTurn(run, world) && isBelowLimit(world),
    ensures: beginTurn,
  }),
  TurnAdmittedUnlimited: onRun("TurnRequested", ["running"], {
    requires: (run, world) => wantsNewTurn(run, world) && world.max === "unlimited",
    ensures: beginTurn,
  }),
  TurnLimitReached: onRun("TurnRequested", ["running"], {
    requires: (run, world) => wantsNewTurn(run, world) && isAtLimit(world) && world.hasUi && !world.declined,
    ensures: (run) => Object.assign(run, { status: "awaiting_confirmation", inFlight: false, touched: true }),
  }),
  DeclineStands: onRun("TurnRequested", ["running"], {
    requires: (run, world) => wantsNewTurn(run, world) && isAtLimit(world) && world.hasUi && world.declined,
    ensures: (run, world) =>
      Object.assign(run, {
        status: "declining",
        inFlight: false,
        touched: true,
        endedAt: turnBoundary(world),
      }),
  }),
  TurnLimitReachedHeadless: onRun("TurnRequested", ["running"], {
    requires: (run, world) =>
      wantsNewTurn(run, world) && isAtLimit(world) && !world.hasUi && !(salvages(world) && run.turns >= 1),
    ensures: (run, world) => stop(run, { endedAt: turnBoundary(world) }),
  }),
  TurnLimitSynthesizesHeadless: onRun("TurnRequested", ["running"], {
    requires: (run, world) =>
      wantsNewTurn(run, world) && isAtLimit(world) && !world.hasUi && salvages(world) && run.turns >= 1,
    ensures: (run, world) => {
      Object.assign(run, { status: "synthesizing", touched: true, endedAt: turnBoundary(world) });
      beginTurn(run, world);
    },
  }),
  ExhaustedRunStops: onRun("TurnRequested", ["running"], {
    requires: (run, world) => !run.retryDue && world.stepsExceeded,
    ensures: (run, world) => stop(run, { endedAt: stepBoundary(world) }),
  }),
  SynthesisBegins: onRun("TurnRequested", ["synthesis_due"], {
    ensures: (run, world) => {
      run.status = "synthesizing";
      beginTurn(run, world);
    },
  }),
  SynthesisNeverRepeats: onRun("TurnRequested", ["synthesizing"], {
    requires: (run) => !run.retryDue,
    ensures: (run) => stop(run),
  }),
  TurnRetried: onRun("TurnRequested", ["running", "synthesizing"], {
    requires: (run) => run.retryDue,
    ensures: (run) => Object.assign(run, { mishap: "absent", inFlight: true, retryDue: false }),
  }),

  ContinuationConfirmed: onRun("UserConfirmsContinuation", ["awaiting_confirmation"], {
    requires: (_run, world) => !world.wrapUpRequested,
    ensures: continueInNewRound,
  }),
  ContinuationWrapsUp: onRun("UserConfirmsContinuation", ["awaiting_confirmation"], {
    requires: (_run, world) => world.wrapUpRequested,
    ensures: (run, world) => {
      continueInNewRound(run, world);
      Object.assign(world, { wrapUpRequested: false, wrapUpSent: true });
      run.wrapUpTold = true;
    },
  }),
  ContinuationDeclined: onRun("UserDeclinesContinuation", ["awaiting_confirmation"], {
    ensures: (run, world) => {
      world.declined = true;
      Object.assign(run, { status: "declining", endedAt: turnBoundary(world) });
    },
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

function isBelowLimit({ max, used }: World): boolean {
  return max !== "unlimited" && used < max;
}

function isAtLimit({ max, used }: World): boolean {
  return max !== "unlimited" && used >= max;
}

function salvages({ headless }: World): boolean {
  return headless === "synthesize";
}

function stop(run: Run, end: Pick<Run, "endedAt"> | object = {}): void {
  Object.assign(run, { status: "stopping", inFlight: false, touched: true }, end);
}

function continueInNewRound(run: Run, world: World): void {
  startRound(world);
  run.status = "running";
  beginTurn(run, world);
}
