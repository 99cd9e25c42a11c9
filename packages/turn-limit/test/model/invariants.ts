import assert from "node:assert/strict";
import type { Subject } from "./Subject.ts";
import type { Run, World } from "./World.ts";

/** The invariants of the specification, read off the governor and nothing else. */
export const INVARIANTS: Record<string, (subject: Subject) => boolean> = {
  LimitIsNotNegative: ({ governor }) => governor.maxTurns === "unlimited" || governor.maxTurns >= 0,
  CompletedWithinStarted({ governor }) {
    const { used, completed } = governor.state.turns;
    return completed >= 0 && completed <= used;
  },
  HeadlessNeverWaits: ({ governor, canAsk }) => governor.status !== "asking" || canAsk,
  UnlimitedNeverAsks: ({ governor }) => governor.status !== "asking" || governor.maxTurns !== "unlimited",
  AskedOnlyAtTheBoundary: ({ governor }) =>
    governor.status !== "asking" || governor.turnsUsed >= Number(governor.maxTurns),
  NothingRunsWhileAsking: (subject) => !isHeldOrEnding(subject) || !subject.governor.state.unanswered,
  RetryFollowsFailure: ({ governor }) => !governor.state.unanswered || governor.state.mishap !== "aborted",
  EveryRoundHasATurn({ governor }) {
    const { rounds, runTurns } = governor.state;
    return rounds >= 0 && rounds <= runTurns;
  },
  LimitLeavesItsMark: (subject) => !isHeldOrEnding(subject) || subject.governor.state.touched,
};

/** The governor stands where the model stands, and every invariant holds. */
export function check(subject: Subject, world: World): void {
  const { status, turns, stop } = subject.governor.state;
  assert.equal(status, world.run ? STATUS[world.run.status] : "idle");
  assert.deepEqual(turns, { max: world.max, used: world.used, completed: world.completed });
  assert.equal(stop !== null, status === "ending");
  if (world.run) checkRun(subject, world.run);
  for (const [name, holds] of Object.entries(INVARIANTS)) assert.ok(holds(subject), name);
}

const STATUS = {
  running: "running",
  awaiting_confirmation: "asking",
  declining: "ending",
  stopping: "ending",
} as const;

function checkRun({ governor }: Subject, run: Run): void {
  const { mishap, unanswered, runTurns, rounds, touched } = governor.state;
  assert.deepEqual(
    { mishap, unanswered, turns: runTurns, rounds, touched },
    {
      mishap: run.mishap === "none" ? null : run.mishap,
      unanswered: run.inFlight || run.retryDue,
      turns: run.turns,
      rounds: run.rounds,
      touched: run.touched,
    },
  );
}

function isHeldOrEnding({ governor }: Subject): boolean {
  return governor.status === "asking" || governor.status === "ending";
}
