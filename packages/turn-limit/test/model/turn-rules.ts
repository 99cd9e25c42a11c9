import type { OutcomeKind } from "../../src/index.ts";
import {
  actionOf,
  allowedOf,
  barring,
  decisive,
  isShort,
  NAMES,
  nearestOf,
  type Reached,
  usedOf,
} from "./limits.ts";
import {
  ANY,
  always,
  and,
  arises,
  type Condition,
  define,
  does,
  happens,
  hasEvidence,
  mustEnd,
  mustEndWithoutAnswer,
  not,
  OPEN,
  on,
  or,
  type Scene,
  to,
  WORKING,
} from "./rule.ts";
import { lineOf } from "./subject.ts";
import { Run, type World } from "./world.ts";

const DECIDABLE: Run["status"][] = ["running", "asking"];

const isWell: Condition = ({ run }) => run.mishap === "absent";
const isTold: Condition = ({ run }) => run.wrapUpTold;
const isRaising: Condition = ({ run }) => run.raises;
const isInFlight: Condition = ({ run }) => run.inFlight;
const isRetryDue: Condition = ({ world }) => world.retryDue;
const isBarred: Condition = ({ world }) => barring(world).length > 0;
const isUnpriced: Condition = ({ reached }) => reached.boundary.unpriced === true;
const isLast: Condition = ({ run }) => run.status === "synthesizing";
const isIdle: Condition = ({ run }) => !run;
const isAdmitted: Condition = ({ run }) => run.admitted !== undefined;
const tookTurn: Condition = ({ run }) => run.totals.turns >= 1;
const isAnswered = and(isWell, not(isInFlight), tookTurn);
const mayRetry = and(isRetryDue, or(isLast, not(isBarred)));
const isAnyShort: Condition = ({ world }) =>
  Object.values(world.budgets).some((one) => isShort(one) && actionOf(one, world) !== "synthesize");
const isWrapUpWanted: Condition = ({ world }) => world.wrapUpRequested;

// How a run begins and ends.
define({
  PersonPrompts: on("PromptReceived", ANY, always, ({ world }) => {
    const isIdle = !world.run;
    Object.assign(world, { run: undefined, wrapUpRequested: false });
    happens(world, "ResetRequested");
    happens(world, "WorkBegins", { isIdle });
  }),
  ProgramContinues: on("ContinuationReceived", ANY, isIdle, ({ world }) => {
    world.wrapUpRequested = false;
    happens(world, "WorkBegins", { isIdle: true });
  }),
  RunOpens: on("WorkBegins", ANY, always, ({ world, isIdle }) => {
    world.retryDue = false;
    world.run = new Run(world.questions);
    if (!isIdle) return;
    for (const count of Object.values(world.counts))
      Object.assign(count, { admitted: 0, done: 0, exempt: 0, isBroken: false });
  }),
  RunIsEnded: on("RunMustEnd", OPEN, always, ({ run, boundary, outcome, raises }) => {
    const { limit, identity, used, max, unpriced } = boundary;
    const endedBy = { limit, identity, used, max, ...(unpriced && { unpriced }) };
    Object.assign(run, { status: "ending", outcome, raises, endedBy, intervened: true });
    Object.assign(run, { inFlight: false, held: false, question: null });
  }),
  RunEndsNaturally: settles("completed", ["running"], and(isWell, not(isTold))),
  RunEndsWarned: settles("wrapped-up", ["running"], and(isWell, isTold)),
  RunEndsSalvaged: settles("salvaged", ["synthesizing"], isWell),
  RunEndsUnsalvaged: settles("stopped", ["synthesis_due"], isWell),
  RunEndsUnanswered: settles("aborted", ["asking"], always),
  RunEndsAsDecided: settles("as decided", ["ending"], not(isRaising)),
  RunRaises: settles("as decided", ["ending"], isRaising),
  RunFails: settles("failed", WORKING, ({ run }) => run.mishap === "failed"),
  RunAborted: settles("aborted", WORKING, ({ run }) => run.mishap === "aborted"),
});

// May a turn begin?
define({
  // Of a limit of one's own less may be used by now than when it was asked about.
  TurnAdmitted: on("TurnRequested", DECIDABLE, and(not(isRetryDue), not(isBarred)), ({ world }) => {
    happens(world, "QuestionDrops");
    happens(world, "TurnBegins", { covered: true });
  }),
  TurnRetried: on("TurnRequested", [...DECIDABLE, "synthesizing"], mayRetry, ({ world }) => {
    happens(world, "QuestionDrops");
    happens(world, "TurnBeginsAgain");
  }),
  BoundaryBeforeTurn: on("TurnRequested", DECIDABLE, isBarred, ({ world }) => {
    happens(world, "TurnBarred", { reached: decisive(barring(world)) as Reached });
  }),
  LimitReached: on("TurnBarred", ["running"], does("ask"), (scene) => {
    Object.assign(scene.run, { status: "asking", inFlight: false, held: true });
    arises(scene);
  }),
  HeldTurnAskedAgain: on("TurnBarred", ["asking"], does("ask"), arises),
  DeclineStands: on("TurnBarred", OPEN, does("decline"), mustEnd("declined")),
  LimitStops: on("TurnBarred", OPEN, and(does("stop"), not(isUnpriced)), mustEnd("stopped")),
  LimitRaises: on("TurnBarred", OPEN, does("raise"), mustEnd("stopped", true)),
  UnpricedModelStops: on("TurnBarred", OPEN, isUnpriced, mustEnd("stopped")),
  LimitSynthesizes: on("TurnBarred", OPEN, and(does("synthesize"), hasEvidence), ({ world, reached }) => {
    happens(world, "LastTurnBegins", { boundary: reached.boundary });
  }),
  NothingToSynthesize: on("TurnBarred", OPEN, and(does("synthesize"), not(hasEvidence)), mustEnd("stopped")),
});

// How a turn begins and ends.
define({
  TurnCounts: on("TurnBegins", OPEN, always, ({ world, run, covered }) => {
    const { turns, repeats } = world.budgets;
    happens(world, "WrapUpConsidered");
    happens(world, "WorkAdmitted", { what: "turns", covered });
    if (usedOf(turns) === 0 || run.rounds === 0) run.rounds += 1;
    world.count({ turns: 1 });
    repeats.told = repeats.telling;
    repeats.row.turnBegins();
    begin(run, world, { isNew: true, isExempt: !covered });
    happens(world, "LeftConsidered");
  }),
  RetryIsNotCounted: on("TurnBeginsAgain", OPEN, always, ({ world, run }) => {
    happens(world, "WorkAdmitted", { what: "turns", covered: false });
    begin(run, world, { isNew: false, isExempt: true });
    happens(world, "LeftConsidered");
  }),
  TurnCompletes: on("TurnAnswered", WORKING, or(isInFlight, isRetryDue), ({ world, run }) => {
    world.completed = Math.min(world.completed + 1, usedOf(world.budgets.turns));
    world.retryDue = false;
    Object.assign(run, { mishap: "absent", inFlight: false, admitted: undefined });
    run.open.pop();
  }),
  TurnFails: on("TurnFailed", WORKING, isInFlight, ({ world, run }) => {
    world.retryDue = true;
    Object.assign(run, { mishap: "failed", inFlight: false, admitted: undefined });
    happens(world, "TurnUnread");
    happens(world, "AnswerLost");
  }),
  FailsBetweenTurns: on("TurnFailed", WORKING, not(isInFlight), ({ world, run }) => {
    Object.assign(run, { mishap: "failed", admitted: undefined });
    happens(world, "TurnUnread");
  }),
  TurnCancelled: on("TurnAborted", WORKING, always, ({ world, run }) => {
    world.retryDue = false;
    Object.assign(run, { mishap: "aborted", inFlight: false, admitted: undefined });
    happens(world, "TurnUnread");
  }),
  TurnAbandoned: on("TurnNeverSent", OPEN, isAdmitted, takeBack),
  AnswerDiscarded: on("TurnDiscarded", WORKING, isAnswered, ({ world, run }) => {
    world.completed = Math.max(world.completed - 1, 0);
    world.retryDue = true;
    run.mishap = "failed";
    happens(world, "AnswerLost");
  }),
});

// What the model is told of what it has left.
define({
  WhatIsLeftIsTold: on(
    "LeftConsidered",
    ["running"],
    ({ world }) => dueToTell(world).length > 0,
    ({ world, run }) => {
      const due = dueToTell(world);
      run.line = lineOf(due.map(({ standing }) => standing));
      const told = due.map(({ budget, share }) => ({ budget, before: budget.toldShare, now: share }));
      run.open.at(-1)?.push(...told);
      for (const { budget, now } of told) budget.toldShare = now;
    },
  ),
  UnreadIsToldAgain: on(
    "TurnUnread",
    OPEN,
    ({ run }) => run.open.length > 0,
    ({ run }) => {
      for (const { budget, before, now } of run.open.pop() ?? [])
        if (budget.toldShare === now) budget.toldShare = before;
    },
  ),
  MoreIsToldOf: on("LimitAdmitsMore", ANY, always, ({ budget }) => {
    budget.toldShare = Math.min(budget.toldShare, nearestOf(budget)?.share ?? 0);
  }),
});

// The graceful wrap-up, and the last turn.
define({
  SteeringIsAnswered: on("SteeringPolled", ["running"], not(isBarred), to("WrapUpConsidered")),
  WrapUpDelivered: tells(and(not(isWrapUpWanted), isWrapUpDue)),
  WrapUpDeliveredOnRequest: tells(isWrapUpWanted),
  ReserveTellsToWrapUp: tells(and(not(isWrapUpWanted), not(isWrapUpDue), isAnyShort)),
  WrapUpIsSent: on("ModelIsTold", OPEN, always, ({ world, run }) => {
    Object.assign(world, { wrapUpSent: true, wrapUpRequested: false });
    Object.assign(run, { wrapUpTold: true, intervened: true });
  }),
  WrapUpRequested: on("WrapUpWanted", DECIDABLE, always, ({ world }) => {
    world.wrapUpRequested = !world.wrapUpSent;
  }),
  SynthesisBegins: on("TurnRequested", ["synthesis_due"], always, ({ world, run: { endedBy } }) => {
    if (endedBy) happens(world, "LastTurnBegins", { boundary: endedBy });
  }),
  TimeForSynthesis: on("LastTurnBegins", OPEN, always, ({ world, run, boundary }) => {
    Object.assign(run, { status: "synthesizing", endedBy: boundary, intervened: true, question: null });
    happens(world, "RoundBegins", { budget: world.budgets.time });
    happens(world, "TurnBegins", { covered: false });
  }),
  SynthesisNeverRepeats: on("TurnRequested", ["synthesizing"], not(isRetryDue), mustEndWithoutAnswer),
});

function settles(kind: OutcomeKind | "as decided", statuses: Run["status"][], requires: Condition) {
  return on("RunSettled", statuses, requires, ({ world, run }) => {
    world.ended = { kind: kind === "as decided" ? (run.outcome ?? "failed") : kind, run };
    world.run = undefined;
  });
}

/** The model is told, if this is a reason to. */
function tells(reason: Condition) {
  const mayTell = and(({ world }) => !world.wrapUpSent, reason);
  return on("WrapUpConsidered", ["running"], mayTell, to("ModelIsTold"));
}

function begin(run: Run, world: World, turn: { isNew: boolean; isExempt: boolean }): void {
  const { mishap, inFlight } = run;
  const { retryDue, fired } = world;
  run.open.push([]);
  const tells = fired.includes("WrapUpIsSent") || fired.includes("HeldTurnWrapsUp");
  run.admitted = { ...turn, tells, before: { mishap, inFlight, retryDue } };
  world.retryDue = false;
  Object.assign(run, { mishap: "absent", inFlight: true, held: false });
}

/** The limits that the model is told of now, with the shares that are used. */
function dueToTell({ tell, budgets }: World) {
  if (tell === null) return [];
  return NAMES.flatMap((name) => {
    const budget = budgets[name];
    const nearest = nearestOf(budget);
    if (!nearest) return [];
    const { toldShare } = budget;
    const isDue = tell === "every turn" || tell.some((share) => toldShare < share && share <= nearest.share);
    return isDue ? [{ budget, ...nearest }] : [];
  });
}

/** Everything is as it was before the turn. */
function takeBack({ world, run }: Scene): void {
  const { isNew, isExempt, tells, before } = run.admitted as NonNullable<Run["admitted"]>;
  const { turns } = world.counts;
  run.admitted = undefined;
  world.turnAbandoned = true;
  turns.admitted -= 1;
  if (isExempt && turns.exempt > 0) turns.exempt -= 1;
  else if (isExempt) turns.counted += 1;
  if (isNew) {
    world.count({ turns: -1 });
    if (usedOf(world.budgets.turns) === 0 || run.totals.turns === 0) run.rounds -= 1;
    if (run.status === "synthesizing") run.status = "synthesis_due";
  }
  run.mishap = before.mishap;
  run.inFlight = before.inFlight && WORKING.includes(run.status);
  world.retryDue = before.retryDue;
  if (run.status === "synthesis_due" && run.totals.turns === 0 && run.totals.steps === 0)
    Object.assign(run, { status: "running", endedBy: null });
  if (tells) {
    Object.assign(world, { wrapUpSent: false, wrapUpRequested: true });
    run.wrapUpTold = false;
  }
  happens(world, "TurnUnread");
  happens(world, "LimitsChange");
}

function isWrapUpDue({ world }: Scene): boolean {
  const max = allowedOf(world.budgets.turns);
  const { grace, offeredGrace = grace, completed } = world;
  if (max === "unlimited" || grace < 1 || grace >= max) return false;
  return completed >= max - Math.min(Math.max(offeredGrace, 1), max - 1);
}
