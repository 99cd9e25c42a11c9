import { allowed, boundaryOf, isOut } from "./Budget.ts";
import { end, onRun, type Rules, WORKING } from "./Rule.ts";
import { deedOf } from "./strictness.ts";
import { type Run, stepBoundary, turnBoundary, type World } from "./World.ts";

const ANY: Run["status"][] = [...WORKING, "awaiting_confirmation", "declining", "stopping", "overrunning"];

/** What counts, what happens when the time is up in the middle of a turn, and what is counted a second time. */
export const SPENDING_RULES: Rules = {
  SpendingCounts: onRun("UsageReported", ANY, {
    ensures: (_run, world, { budget, amount = 0 }) => {
      if (budget) world.budgets[budget].used += amount;
    },
  }),
  UnpricedModelNoticed: {
    when: "PriceMissing",
    requires: () => true,
    ensures: (world) => {
      world.priceUnknown = true;
    },
  },
  TimeCounts: {
    when: "ClockRead",
    requires: isClockRunning,
    ensures: (world, { now = 0 }) => {
      const passed = Math.max(0, now - world.clock);
      world.clock = now;
      world.budgets.time.used += passed;
      if (world.run) world.run.time = (world.run.time ?? 0) + passed;
    },
  },
  WaitingIsFree: {
    when: "ClockRead",
    requires: (world) => !isClockRunning(world),
    ensures: (world, { now = 0 }) => {
      world.clock = now;
      if (world.run) world.run.time ??= 0;
    },
  },
  WaitingReported: onRun("WaitingChanged", ANY, {
    ensures: (run, _world, { waiting = false }) => {
      run.waiting = waiting;
    },
  }),

  TimeUpAsks: onRun("TimeChecked", ["running"], {
    requires: (run, world) => isTimeUp(run, world) && timeDeed(world) === "ask",
    ensures: (run, world) => Object.assign(run, { touched: true, question: boundaryOf(world.budgets.time) }),
  }),
  TimeUpDeclineStands: onRun("TimeChecked", WORKING, {
    requires: (run, world, { canGoOn }) =>
      isTimeUp(run, world) && !isHastened(run, canGoOn) && timeDeed(world) === "decline",
    ensures: (run, world) => end(run, "declining", boundaryOf(world.budgets.time)),
  }),
  TimeUpStops: onRun("TimeChecked", ["running"], {
    requires: (run, world, { canGoOn }) => {
      if (!isTimeUp(run, world)) return false;
      const deed = timeDeed(world);
      return deed === "stop" || (deed === "synthesize" && (!canGoOn || run.turns === 0));
    },
    ensures: stopOutOfTime,
  }),
  TimeUpSynthesizes: onRun("TimeChecked", ["running"], {
    requires: (run, world, { canGoOn }) =>
      isTimeUp(run, world) && timeDeed(world) === "synthesize" && canGoOn === true && run.turns >= 1,
    ensures: (run, world) =>
      Object.assign(run, { status: "synthesis_due", touched: true, endedAt: boundaryOf(world.budgets.time) }),
  }),
  TimeUpEndsSynthesis: onRun("TimeChecked", ["synthesis_due", "synthesizing"], {
    requires: (run, world, { canGoOn }) =>
      isTimeUp(run, world) && !isHastened(run, canGoOn) && timeDeed(world) !== "decline",
    ensures: stopOutOfTime,
  }),
  TimeUpGivesUpSynthesis: onRun("TimeChecked", ["synthesis_due"], {
    requires: (run, _world, { canGoOn }) => run.endedAt?.limit === "time" && !canGoOn,
    ensures: (run) => end(run, "stopping", run.endedAt),
  }),
  TimeUpHastensSynthesis: onRun("TimeChecked", ["synthesis_due"], {
    requires: (run, world, { canGoOn }) => isTimeUp(run, world) && isHastened(run, canGoOn),
    ensures: (run) => Object.assign(run, { touched: true }),
  }),

  RequestAccounted: onRun("RequestSent", ANY, {
    requires: (run) => run.requestsSent < run.requestsAdmitted && !run.breached.requests,
    ensures: countRequest,
  }),
  RequestOverruns: onRun("RequestSent", ANY, {
    requires: (run) => run.requestsSent >= run.requestsAdmitted || run.breached.requests,
    ensures: (run, world) => {
      countRequest(run, world);
      end(run, "overrunning", { ...turnBoundary(world), used: world.sentInRound });
    },
  }),
  CallAccounted: onRun("CallExecuted", ANY, {
    requires: (run) => run.callsExecuted < run.steps && !run.breached.calls,
    ensures: countCall,
  }),
  CallOverruns: onRun("CallExecuted", ANY, {
    requires: (run) => run.callsExecuted >= run.steps || run.breached.calls,
    ensures: (run, world) => {
      countCall(run, world);
      end(run, "overrunning", { ...stepBoundary(world), used: world.executed });
    },
  }),
};

function isClockRunning({ run }: World): boolean {
  return run !== undefined && run.question === null && !run.waiting;
}

/** Time counts, and is up, and it is not that for which the tools-free turn is due already. */
function isTimeUp(run: Run, world: World): boolean {
  const isKnown = run.status === "synthesis_due" && run.endedAt?.limit === "time";
  const { time } = world.budgets;
  return isClockRunning(world) && isOut(time) && allowed(time) !== 0 && !isKnown;
}

/** Is the tools-free turn due anyway, and can the host go on to it? */
function isHastened(run: Run, canGoOn: boolean | undefined): boolean {
  return run.status === "synthesis_due" && canGoOn === true;
}

function timeDeed(world: World) {
  return deedOf(world.budgets.time, world);
}

function stopOutOfTime(run: Run, world: World): void {
  end(run, "stopping", boundaryOf(world.budgets.time));
}

function countRequest(run: Run, world: World): void {
  run.requestsSent += 1;
  if (!run.exempt) world.sentInRound += 1;
  run.exempt = false;
}

function countCall(run: Run, world: World): void {
  run.callsExecuted += 1;
  world.executed += 1;
}
