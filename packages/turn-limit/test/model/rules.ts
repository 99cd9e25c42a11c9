import type { Max, OutcomeKind } from "../../src/index.ts";
import { boundaryOf, newRun, type Run, type World } from "./World.ts";

/** What can happen, in the words of the specification. */
export type Event =
  | "PromptReceived"
  | "ContinuationReceived"
  | "TurnRequested"
  | "UserConfirmsContinuation"
  | "UserDeclinesContinuation"
  | "TurnAnswered"
  | "TurnFailed"
  | "TurnAborted"
  | "TurnDiscarded"
  | "RunSettled"
  | "UserSetsLimit"
  | "UserRemovesLimit"
  | "BoundaryMoved"
  | "ResetRequested";

/** One rule of the specification: on this event, and only if `requires` holds, `ensures` comes true. */
export interface Rule {
  when: Event;
  requires(world: World, newMax: Max): boolean;
  ensures(world: World, newMax: Max): void;
}

/** The rules of the specification, restated: no order among them matters. */
export const RULES: Record<string, Rule> = {
  PersonPrompts: {
    when: "PromptReceived",
    requires: () => true,
    ensures: (world) => {
      startRound(world);
      world.run = newRun();
    },
  },
  ProgramContinues: {
    when: "ContinuationReceived",
    requires: (world) => !world.run,
    ensures: (world) => {
      world.run = newRun();
    },
  },
  RunEndsNaturally: settles("completed", (run) => run.status === "running" && run.mishap === "none"),
  RunEndsUnanswered: settles("aborted", (run) => run.status === "awaiting_confirmation"),
  RunEndsDeclined: settles("declined", (run) => run.status === "declining"),
  RunEndsStopped: settles("stopped", (run) => run.status === "stopping"),
  RunFails: settles("failed", (run) => run.status === "running" && run.mishap === "failed"),
  RunAborted: settles("aborted", (run) => run.status === "running" && run.mishap === "aborted"),

  TurnAdmitted: onRunning("TurnRequested", {
    requires: (run, world) => !run.retryDue && isNumber(world.max) && world.used < world.max,
    ensures: admit,
  }),
  TurnAdmittedUnlimited: onRunning("TurnRequested", {
    requires: (run, world) => !run.retryDue && !isNumber(world.max),
    ensures: admit,
  }),
  TurnLimitReached: onRunning("TurnRequested", {
    requires: (run, world) => !run.retryDue && isNumber(world.max) && world.used >= world.max && world.hasUi,
    ensures: (run) => Object.assign(run, { status: "awaiting_confirmation", inFlight: false, touched: true }),
  }),
  TurnLimitReachedHeadless: onRunning("TurnRequested", {
    requires: (run, world) => !run.retryDue && isNumber(world.max) && world.used >= world.max && !world.hasUi,
    ensures: (run, world) =>
      Object.assign(run, {
        status: "stopping",
        inFlight: false,
        touched: true,
        endedAt: boundaryOf(world),
      }),
  }),
  TurnRetried: onRunning("TurnRequested", {
    requires: (run) => run.retryDue,
    ensures: (run) => Object.assign(run, { mishap: "none", inFlight: true, retryDue: false }),
  }),

  ContinuationConfirmed: {
    when: "UserConfirmsContinuation",
    requires: (world) => world.run?.status === "awaiting_confirmation",
    ensures: (world) => {
      const run = world.run as Run;
      world.used = 1;
      world.completed = 0;
      run.status = "running";
      run.mishap = "none";
      run.inFlight = true;
      run.turns += 1;
      run.rounds += 1;
    },
  },
  ContinuationDeclined: {
    when: "UserDeclinesContinuation",
    requires: (world) => world.run?.status === "awaiting_confirmation",
    ensures: (world) => Object.assign(world.run as Run, { status: "declining", endedAt: boundaryOf(world) }),
  },

  TurnCompletes: onRunning("TurnAnswered", {
    requires: (run) => run.inFlight || run.retryDue,
    ensures: (run, world) => {
      world.completed = Math.min(world.completed + 1, world.used);
      Object.assign(run, { mishap: "none", inFlight: false, retryDue: false });
    },
  }),
  TurnFails: onRunning("TurnFailed", {
    requires: (run) => run.inFlight,
    ensures: (run) => Object.assign(run, { mishap: "failed", inFlight: false, retryDue: true }),
  }),
  FailsBetweenTurns: onRunning("TurnFailed", {
    requires: (run) => !run.inFlight,
    ensures: (run) => Object.assign(run, { mishap: "failed" }),
  }),
  TurnCancelled: onRunning("TurnAborted", {
    requires: () => true,
    ensures: (run) => Object.assign(run, { mishap: "aborted", inFlight: false, retryDue: false }),
  }),
  AnswerDiscarded: onRunning("TurnDiscarded", {
    requires: (run) => run.mishap === "none" && !run.inFlight && run.turns >= 1,
    ensures: (run, world) => {
      world.completed = Math.max(world.completed - 1, 0);
      Object.assign(run, { mishap: "failed", retryDue: true });
    },
  }),

  LimitChanged: {
    when: "UserSetsLimit",
    requires: (world) => isNumber(world.max),
    ensures: (world, newMax) => {
      world.max = newMax;
      happens(world, "BoundaryMoved");
    },
  },
  LimitReEnabled: {
    when: "UserSetsLimit",
    requires: (world) => !isNumber(world.max),
    ensures: (world, newMax) => {
      world.max = newMax;
      startRound(world);
    },
  },
  LimitRemoved: {
    when: "UserRemovesLimit",
    requires: (world) => isNumber(world.max),
    ensures: (world) => {
      world.max = "unlimited";
      withdrawQuestion(world);
    },
  },
  QuestionOvertaken: {
    when: "BoundaryMoved",
    requires: ({ run, max, used }) => run?.status === "awaiting_confirmation" && isNumber(max) && used < max,
    ensures: withdrawQuestion,
  },
  CountersReset: {
    when: "ResetRequested",
    requires: () => true,
    ensures: (world) => {
      startRound(world);
      withdrawQuestion(world);
    },
  },
};

/** Lets `event` happen in `world` and returns the rule it fired, if any. Two would be an ambiguous specification. */
export function happens(world: World, event: Event, newMax: Max = "unlimited"): string | undefined {
  const fitting = Object.entries(RULES).filter(
    ([, rule]) => rule.when === event && rule.requires(world, newMax),
  );
  if (fitting.length > 1) throw new Error(`${event} fires ${fitting.map(([name]) => name).join(" and ")}`);
  const [name, rule] = fitting[0] ?? [];
  rule?.ensures(world, newMax);
  if (name) fired.add(name);
  return name;
}

/** The rules that have fired so far. */
export const fired = new Set<string>();

function onRunning(
  when: Event,
  rule: { requires(run: Run, world: World): boolean; ensures(run: Run, world: World): void },
): Rule {
  return {
    when,
    requires: (world) => world.run?.status === "running" && rule.requires(world.run, world),
    ensures: (world) => rule.ensures(world.run as Run, world),
  };
}

function settles(kind: OutcomeKind, requires: (run: Run) => boolean): Rule {
  return {
    when: "RunSettled",
    requires: ({ run }) => run !== undefined && requires(run),
    ensures: (world) => {
      world.outcome = { kind, run: world.run as Run };
      world.run = undefined;
    },
  };
}

function admit(run: Run, world: World): void {
  if (world.used === 0 || run.rounds === 0) run.rounds += 1;
  world.used += 1;
  run.turns += 1;
  Object.assign(run, { mishap: "none", inFlight: true });
}

function startRound(world: World): void {
  world.used = 0;
  world.completed = 0;
}

function withdrawQuestion({ run }: World): void {
  if (run?.status === "awaiting_confirmation") run.status = "running";
}

function isNumber(max: Max): max is number {
  return typeof max === "number";
}
