import assert from "node:assert/strict";
import {
  type Boundary,
  DEFAULT_SYNTHESIS_MESSAGE,
  DEFAULT_WRAP_UP_MESSAGE,
  type Governor,
  type Outcome,
  type StepDecision,
  type TurnDecision,
} from "../../src/index.ts";
import type { Event } from "./Rule.ts";
import { happens } from "./rules.ts";
import type { Subject } from "./Subject.ts";
import { turnBoundary, type World } from "./World.ts";

/** Lets something happen in the model and to the governor, and compares what comes of it. */
export type Action = (world: World, subject: Subject) => void;

type Ending = Extract<Event, "TurnAnswered" | "TurnFailed" | "TurnAborted" | "TurnDiscarded">;

export function turn(world: World, subject: Subject): TurnDecision {
  return decideTurn(world, subject, (governor) => governor.beforeTurn());
}

export function turnThen(ending: Ending): Action {
  return (world, subject) => {
    const { kind } = turn(world, subject);
    if (kind !== "ask" && kind !== "stop") end(ending)(world, subject);
  };
}

export function end(ending: Ending): Action {
  return (world, { governor }) => {
    happens(world, ending);
    if (ending === "TurnAnswered") governor.turnEnded();
    if (ending === "TurnFailed") governor.turnEnded("failed");
    if (ending === "TurnAborted") governor.turnEnded("aborted");
    if (ending === "TurnDiscarded") governor.turnDiscarded();
  };
}

export function answer(yes: boolean): Action {
  return (world, subject) => {
    const reply = (governor: Governor) => governor.answer(yes);
    if (!world.run) {
      assert.equal(reply(subject.governor).kind, "stop");
    } else if (world.run.status === "awaiting_confirmation") {
      const rule = happens(world, yes ? "UserConfirmsContinuation" : "UserDeclinesContinuation");
      const decision = subject.decide(reply);
      assert.deepEqual(decision, expectedTurn(world, rule === "ContinuationWrapsUp"));
      if (yes) subject.onlooker.sawYes(decision);
      else subject.onlooker.sawTurn(decision, world.max, false);
    } else if (world.run.inFlight) {
      assert.equal(subject.decide(reply).kind, "proceed");
    } else {
      decideTurn(world, subject, reply);
    }
  };
}

/** A batch of tool calls. */
export function steps(count: number): Action {
  return (world, subject) => {
    for (let step = 0; step < count; step += 1) {
      if (!world.run) happens(world, "ContinuationReceived");
      const rule = happens(world, "ToolCallRequested");
      const decision = subject.decide((governor) => governor.beforeStep());
      subject.onlooker.sawStep(decision, world.budget?.max ?? "unlimited");
      compareStep(decision, rule, world.run?.endedAt ?? turnBoundary(world));
    }
  };
}

/** The host asks what to tell the model before the turn that comes. */
export function poll(world: World, subject: Subject): void {
  const told = happens(world, "SteeringPolled") !== undefined;
  const message = subject.decide((governor) => governor.takeWrapUp());
  assert.equal(message, told ? DEFAULT_WRAP_UP_MESSAGE : undefined);
  if (told) subject.onlooker.sawWrapUp();
}

export function requestWrapUp(world: World, { governor }: Subject): void {
  happens(world, "UserRequestsWrapUp");
  const { status } = world.run ?? {};
  assert.equal(governor.requestWrapUp(), status === "running" || status === "awaiting_confirmation");
}

export function settle(world: World, { governor, onlooker }: Subject): void {
  world.outcome = undefined;
  happens(world, "RunSettled");
  assert.deepEqual(governor.settled(), expectedOutcome(world));
  onlooker.sawRunEnd();
}

function decideTurn(
  world: World,
  subject: Subject,
  call: (governor: Governor) => TurnDecision,
): TurnDecision {
  if (!world.run) happens(world, "ContinuationReceived");
  const told = !world.run?.retryDue && happens(world, "SteeringPolled") !== undefined;
  const rule = happens(world, "TurnRequested");
  const decision = subject.decide(call);
  subject.onlooker.sawTurn(decision, world.max, rule === "TurnRetried");
  assert.deepEqual(decision, expectedTurn(world, told));
  return decision;
}

function expectedTurn(world: World, told: boolean): TurnDecision {
  const { status, endedAt = turnBoundary(world) } = world.run ?? {};
  if (status === "running")
    return told ? { kind: "wrap-up", message: DEFAULT_WRAP_UP_MESSAGE } : { kind: "proceed" };
  if (status === "awaiting_confirmation") return { kind: "ask", ...endedAt };
  if (status === "synthesizing")
    return { kind: "synthesize", message: DEFAULT_SYNTHESIS_MESSAGE, ...endedAt };
  return { kind: "stop", outcome: status === "declining" ? "declined" : "stopped", ...endedAt };
}

function compareStep(decision: StepDecision, rule: string | undefined, boundary: Boundary): void {
  if (rule === "StepUnbudgeted" || rule === "StepTaken") {
    assert.deepEqual(decision, { kind: "proceed" });
    return;
  }
  assert.ok(decision.kind !== "proceed", "the call had to be refused");
  const { kind, reason, ...where } = decision;
  assert.equal(kind, rule === "StepBudgetSynthesizes" ? "synthesize" : "refuse");
  assert.deepEqual(where, boundary);
  assert.match(reason, new RegExp(`limit is reached \\(${boundary.used}/${boundary.max}\\)`));
}

function expectedOutcome({ outcome, max, budget }: World): Outcome | undefined {
  if (!outcome) return undefined;
  const { kind, run } = outcome;
  const { turns, rounds, steps, touched, endedAt } = run;
  const counts = {
    turns,
    rounds,
    steps,
    touched,
    maxTurns: max,
    maxSteps: budget ? budget.max : "unlimited",
  } as const;
  return endedAt ? { kind, limit: endedAt.limit, ...counts } : { kind, ...counts };
}
