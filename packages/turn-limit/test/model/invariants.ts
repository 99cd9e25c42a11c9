import assert from "node:assert/strict";
import type { GovernorState } from "../../src/index.ts";
import { allowed, BUDGET_NAMES, type Budget, boundaryOf } from "./Budget.ts";
import type { Subject } from "./Subject.ts";
import { strictest } from "./strictness.ts";
import { type Run, stepBoundary, turnBoundary, type World } from "./World.ts";

type Invariant = (state: GovernorState, subject: Subject) => boolean;

/** The invariants of the specification, read off the governor and nothing else. */
export const INVARIANTS: Record<string, Invariant> = {
  LimitIsNotNegative: ({ turns }) => turns.max === "unlimited" || turns.max >= 0,
  BudgetIsPositive: ({ steps }) => steps.budget === "unlimited" || steps.budget.max >= 1,
  BudgetIsNotNegative: (_state, { governor }) =>
    governor.standings.every(({ used, max }) => used >= 0 && (max === "unlimited" || max >= 0)),
  CompletedWithinStarted: ({ turns }) => turns.completed >= 0 && turns.completed <= turns.used,
  ExhaustedMeansNoneLeft: ({ steps }) =>
    !steps.exceeded || (steps.budget !== "unlimited" && steps.used >= steps.budget.max),
  NotAskedForTwice: ({ wrapUp }) => !(wrapUp.requested && wrapUp.sent),
  GrantNeedsALimit: ({ turns }) => turns.granted === undefined || turns.max !== "unlimited",
  GrantsEndWithTheRound: ({ turns }) => turns.used > 0 || turns.granted === undefined,
  HeadlessNeverWaits: ({ status, question }, { canAsk }) => canAsk || (status !== "asking" && !question),
  UnlimitedNeverAsks: ({ question }) => question === null || question.max !== "unlimited",
  AskedOnlyAtTheBoundary: ({ question, turns }) =>
    question?.limit !== "turns" || turns.used >= Number(turns.granted ?? turns.max),
  BudgetAsksOnlyAtItsBoundary: ({ question }, { governor }) =>
    question === null ||
    governor.standings.some(({ limit, used, max }) => limit === question.limit && used >= Number(max)),
  NothingRunsWhileAsking: ({ status, request }) => status !== "asking" || request !== "in-flight",
  OnlyTimeAsksDuringATurn: ({ status, question }) =>
    question === null || status === "asking" || question.limit === "time",
  EndedRunsAskNothing: ({ status, question }) =>
    question === null || status === "asking" || status === "running",
  BudgetNeverAdmitsAtItsBoundary: ({ status }, { onlooker }) =>
    status !== "running" || onlooker.passed.length === 0,
  OverrunEndsTheRun: ({ stop }, { onlooker }) => !onlooker.overrun || stop?.outcome === "limit-overrun",
  RetryFollowsFailure: ({ request, tally }) => request !== "retry-due" || tally.turns >= 1,
  EveryRoundHasATurn: ({ tally }) => tally.rounds >= 0 && tally.rounds <= tally.turns,
  ToldOnlyOncePerRound: ({ wrapUp }) => !wrapUp.told || wrapUp.sent,
  SynthesisHasAReason: ({ synthesis }) =>
    synthesis === null || ["turns", "steps", ...BUDGET_NAMES].includes(synthesis.limit),
  SynthesisHasEvidence: ({ synthesis, tally }) => synthesis === null || tally.turns >= 1,
  LimitLeavesItsMark: ({ status, question, synthesis, wrapUp, tally }) =>
    tally.touched || !(question || status === "asking" || status === "ending" || synthesis || wrapUp.told),
};

/** The governor stands where the model stands, and every invariant holds. */
export function check(subject: Subject, world: World): void {
  const { state } = subject.governor;
  assert.equal(state.status, world.run ? STATUS[world.run.status] : "idle");
  assert.deepEqual(state.turns, {
    max: world.max,
    used: world.used,
    completed: world.completed,
    ...(world.turnAllowance !== null && { granted: world.turnAllowance }),
  });
  assert.deepEqual(state.steps, {
    budget: world.steps ?? "unlimited",
    used: world.stepsUsed,
    exceeded: world.stepsExceeded,
  });
  assert.equal(state.wrapUp.sent, world.wrapUpSent);
  assert.equal(state.wrapUp.grace, world.grace);
  assert.equal(state.headless, world.headless);
  assert.equal(state.declined, world.declined);
  assert.equal(state.stop !== null, state.status === "ending");
  checkBudgets(subject, world);
  if (world.run) checkRun(state, world.run, world);
  else assert.equal(state.synthesis, null);
  for (const [name, holds] of Object.entries(INVARIANTS)) assert.ok(holds(state, subject), name);
}

const STATUS = {
  running: "running",
  awaiting_confirmation: "asking",
  synthesis_due: "running",
  synthesizing: "running",
  declining: "ending",
  stopping: "ending",
  overrunning: "ending",
} as const;

function checkBudgets({ governor }: Subject, world: World): void {
  const isMarked = ({ name }: Budget) => name === "cost" && world.priceUnknown;
  const limited = BUDGET_NAMES.map((name) => world.budgets[name]).filter(({ terms }) => terms);
  assert.deepEqual(governor.standings, [
    turnBoundary(world),
    ...(world.steps ? [stepBoundary(world)] : []),
    ...limited.map((budget) => ({ ...boundaryOf(budget), ...(isMarked(budget) && { unpriced: true }) })),
  ]);
  assert.equal(governor.unpriced, world.priceUnknown && world.budgets.cost.terms !== null);
  const reached = strictest(world, false);
  assert.equal(governor.exhausted, reached !== undefined && reached.deed !== "ask");
  assert.equal(governor.state.spending.now, world.clock);
  assert.equal(governor.timeLeft, timeLeft(world));
}

function timeLeft({ run, budgets }: World): number | undefined {
  const max = allowed(budgets.time);
  const counts = run && STATUS[run.status] === "running" && !run.question && !run.waiting;
  const isUp = run?.status === "synthesis_due" && run.endedAt?.limit === "time";
  if (!counts || max === "unlimited" || max === 0 || isUp) return undefined;
  return Math.max(0, max - budgets.time.used);
}

function checkRun(state: GovernorState, run: Run, world: World): void {
  const { request, tally, wrapUp, synthesis, status, question, waiting, usage } = state;
  const { turns, rounds, steps, touched, time } = run;
  assert.deepEqual(tally, { turns, rounds, steps, touched, ...(time !== undefined && { time }) });
  assert.deepEqual(question, run.question);
  assert.equal(waiting, run.waiting);
  assert.deepEqual(usage, run.usage);
  assert.equal(wrapUp.told, run.wrapUpTold);
  assert.equal(wrapUp.requested, world.wrapUpRequested);
  if (status === "ending") return;
  assert.equal(request, requestOf(run));
  assert.equal(synthesis?.begun, SYNTHESIS[run.status]);
}

const SYNTHESIS: Partial<Record<Run["status"], boolean>> = { synthesis_due: false, synthesizing: true };

function requestOf({ inFlight, retryDue, mishap, turns }: Run): GovernorState["request"] {
  if (inFlight) return "in-flight";
  if (retryDue) return "retry-due";
  if (mishap !== "absent") return mishap;
  return turns === 0 ? "none" : "answered";
}
