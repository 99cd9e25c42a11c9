import assert from "node:assert/strict";
import type { GovernorState } from "../../src/index.ts";
import type { Subject } from "./Subject.ts";
import type { Run, World } from "./World.ts";

type Invariant = (state: GovernorState, subject: Subject) => boolean;

/** The invariants of the specification, read off the governor and nothing else. */
export const INVARIANTS: Record<string, Invariant> = {
  LimitIsNotNegative: ({ turns }) => turns.max === "unlimited" || turns.max >= 0,
  BudgetIsPositive: ({ steps }) => steps.budget === "unlimited" || steps.budget.max >= 1,
  CompletedWithinStarted: ({ turns }) => turns.completed >= 0 && turns.completed <= turns.used,
  ExhaustedMeansNoneLeft: ({ steps }) =>
    !steps.exceeded || (steps.budget !== "unlimited" && steps.used >= steps.budget.max),
  NotAskedForTwice: ({ wrapUp }) => !(wrapUp.requested && wrapUp.sent),
  HeadlessNeverWaits: ({ status }, { canAsk }) => status !== "asking" || canAsk,
  UnlimitedNeverAsks: ({ status, turns }) => status !== "asking" || turns.max !== "unlimited",
  AskedOnlyAtTheBoundary: ({ status, turns }) => status !== "asking" || turns.used >= Number(turns.max),
  NothingRunsWhileAsking: ({ status, request }) => status !== "asking" || request !== "in-flight",
  RetryFollowsFailure: ({ request, tally }) => request !== "retry-due" || tally.turns >= 1,
  EveryRoundHasATurn: ({ tally }) => tally.rounds >= 0 && tally.rounds <= tally.turns,
  ToldOnlyOncePerRound: ({ wrapUp }) => !wrapUp.told || wrapUp.sent,
  SynthesisHasAReason: ({ synthesis }) => synthesis === null || ["turns", "steps"].includes(synthesis.limit),
  SynthesisHasEvidence: ({ synthesis, tally }) => synthesis === null || tally.turns >= 1,
  LimitLeavesItsMark: ({ status, synthesis, wrapUp, tally }) =>
    tally.touched || !(status === "asking" || status === "ending" || synthesis || wrapUp.told),
};

/** The governor stands where the model stands, and every invariant holds. */
export function check(subject: Subject, world: World): void {
  const { state } = subject.governor;
  assert.equal(state.status, world.run ? STATUS[world.run.status] : "idle");
  assert.deepEqual(state.turns, { max: world.max, used: world.used, completed: world.completed });
  assert.deepEqual(state.steps, {
    budget: world.budget ?? "unlimited",
    used: world.stepsUsed,
    exceeded: world.stepsExceeded,
  });
  assert.equal(state.wrapUp.sent, world.wrapUpSent);
  assert.equal(state.wrapUp.grace, world.grace);
  assert.equal(state.headless, world.headless);
  assert.equal(state.declined, world.declined);
  assert.equal(state.stop !== null, state.status === "ending");
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
} as const;

function checkRun(
  { request, tally, wrapUp, synthesis, status }: GovernorState,
  run: Run,
  world: World,
): void {
  const { turns, rounds, steps, touched } = run;
  assert.deepEqual(tally, { turns, rounds, steps, touched });
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
