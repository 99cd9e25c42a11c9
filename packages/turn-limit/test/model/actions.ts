import assert from "node:assert/strict";
import type { Boundary, Governor, Mishap, Reply, TurnDecision, Usage } from "../../src/index.ts";
import {
  expectedOutcome,
  expectedOverdue,
  expectedOverrun,
  expectedStep,
  expectedTurn,
  expectedWrapUp,
} from "./expectations.ts";
import { DECIDABLE, type Event } from "./Rule.ts";
import { happens } from "./rules.ts";
import type { Subject } from "./Subject.ts";
import { turnsAllowed, type World } from "./World.ts";

/** Lets something happen in the model and to the governor, and compares what comes of it. */
export type Action = (world: World, subject: Subject) => void;

type Ending = Extract<Event, "TurnAnswered" | "TurnFailed" | "TurnAborted" | "TurnDiscarded">;

const MISHAPS: Partial<Record<Ending, Mishap>> = { TurnFailed: "failed", TurnAborted: "aborted" };

export function prompt(world: World, { governor, onlooker }: Subject): void {
  happens(world, "PromptReceived");
  governor.prompt();
  onlooker.sawPrompt();
}

export function turn(world: World, subject: Subject): TurnDecision {
  return decideTurn(world, subject, (governor) => governor.beforeTurn());
}

export function turnThen(ending: Ending, usage?: Usage): Action {
  return (world, subject) => {
    const { kind } = turn(world, subject);
    if (kind && kind !== "ask" && kind !== "stop") end(ending, usage)(world, subject);
  };
}

/** A turn, or this if there is a question before it. */
export function turnOr(ifAsked: Action): Action {
  return (world, subject) => {
    promptIfOver(world, subject);
    if (turn(world, subject)?.kind === "ask") ifAsked(world, subject);
  };
}

/** A turn in which this happens. */
export function turnWith(...happening: Action[]): Action {
  return (world, subject) => {
    turn(world, subject);
    for (const act of happening) act(world, subject);
  };
}

/** A turn that fails and is made again, or this if there is a question before that. */
export function retryOr(usage: Usage, ifAsked: Action): Action {
  return (world, subject) => {
    turnThen("TurnFailed", usage)(world, subject);
    turnOr(ifAsked)(world, subject);
  };
}

export function end(ending: Ending, usage?: Usage): Action {
  return (world, { governor }) => {
    const mishap = MISHAPS[ending];
    if (ending === "TurnDiscarded") governor.turnDiscarded();
    else {
      if (usage) spent(world, usage);
      governor.turnEnded({ ...(mishap && { mishap }), ...(usage && { usage }) });
    }
    happens(world, ending);
  };
}

/** Something beside the turns took this much. */
export function spend(activity: "compaction" | "nested", usage: Usage): Action {
  return (world, { governor }) => {
    spent(world, usage);
    governor.spend(activity, usage);
  };
}

const ENDING = ["declining", "stopping", "overrunning"];

export function answer(reply: Reply): Action {
  return (world, subject) => {
    const call = (governor: Governor) => governor.answer(reply);
    const { run } = world;
    if (!run) assert.equal(call(subject.governor).kind, "stop");
    else if (run.question) replyToQuestion(world, subject, reply);
    else if (run.held || ENDING.includes(run.status)) decideTurn(world, subject, call);
    else assert.equal(subject.decide(call).kind, "proceed");
  };
}

/** A batch of tool calls. */
export function steps(tools: readonly (string | undefined)[]): Action {
  return (world, subject) => {
    for (const tool of tools) {
      if (!world.run) happens(world, "ContinuationReceived");
      const rule = happens(world, "ToolCallRequested", { tool });
      const decision = subject.decide((governor) => governor.beforeStep({ tool: tool ?? "other" }));
      subject.onlooker.sawStep(decision, world.steps?.max ?? "unlimited");
      assert.deepEqual(decision, expectedStep(world, rule));
      if (decision.kind === "proceed" && world.audited) executed(world, subject);
    }
  };
}

/** The host asks what to tell the model before the turn that comes. */
export function poll(world: World, subject: Subject): void {
  const told = happens(world, "SteeringPolled") !== undefined;
  const message = subject.decide((governor) => governor.takeWrapUp());
  assert.equal(message, expectedWrapUp(told));
  if (told) subject.onlooker.sawWrapUp();
}

export function requestWrapUp(world: World, { governor }: Subject): void {
  happens(world, "UserRequestsWrapUp");
  const { status } = world.run ?? {};
  assert.equal(governor.requestWrapUp(), status === "running" || status === "awaiting_confirmation");
}

/** The host's clock went on by this much, or was put back. */
export function timePasses(milliseconds: number): Action {
  return (world, subject) => {
    subject.now += milliseconds;
    happens(world, "ClockRead", { now: subject.now });
    subject.governor.timeIs(subject.now);
  };
}

export function wait(waiting: boolean): Action {
  return (world, { governor }) => {
    if (happens(world, "WaitingChanged", { waiting })) governor.waiting = waiting;
  };
}

/** The host looks whether the time is up. */
export function checkTime(canGoOn: boolean): Action {
  return (world, subject) => {
    const rule = happens(world, "TimeChecked", { canGoOn });
    const decision = subject.decide((governor) => governor.overdue(canGoOn));
    subject.onlooker.sawOverdue(decision);
    assert.deepEqual(decision, expectedOverdue(world, rule));
  };
}

/** Time passes in the middle of a turn, and this happens if that leads to a question. */
export function timeIsUpThen(ifAsked: Action): Action {
  return (world, subject) => {
    promptIfOver(world, subject);
    timePasses(6)(world, subject);
    checkTime(true)(world, subject);
    if (world.run?.question) ifAsked(world, subject);
  };
}

/** A person says no, if asked, and some program goes on all the same. */
export function noThenProgram(goOn: Action): Action {
  return (world, subject) => {
    if (!world.run?.question) turnOr(answer(false))(world, subject);
    else answer(false)(world, subject);
    settle(world, subject);
    steps(["write"])(world, subject);
    goOn(world, subject);
  };
}

export function priceUnknown(world: World, { governor }: Subject): void {
  happens(world, "PriceMissing");
  governor.priceUnknown();
}

/** A model request is really sent. */
export function sent(world: World, subject: Subject): void {
  const rule = happens(world, "RequestSent");
  const decision = subject.decide((governor) => governor.requestSent());
  assert.deepEqual(decision, expectedOverrun(world, rule === "RequestOverruns"));
  if (decision) subject.onlooker.sawOverrun();
}

/** A tool call is really executed. */
export function executed(world: World, subject: Subject): void {
  const rule = happens(world, "CallExecuted");
  const decision = subject.decide((governor) => governor.stepExecuted());
  assert.deepEqual(decision, expectedOverrun(world, rule === "CallOverruns"));
  if (decision) subject.onlooker.sawOverrun();
}

export function settle(world: World, { governor, onlooker }: Subject): void {
  world.outcome = undefined;
  happens(world, "RunSettled");
  assert.deepEqual(governor.settled(), expectedOutcome(world));
  onlooker.sawRunEnd();
}

function promptIfOver(world: World, subject: Subject): void {
  const { run } = world;
  if (run && (DECIDABLE.includes(run.status) || run.status === "synthesis_due" || run.inFlight)) return;
  settle(world, subject);
  prompt(world, subject);
}

function decideTurn(
  world: World,
  subject: Subject,
  call: (governor: Governor) => TurnDecision,
): TurnDecision {
  if (!world.run) happens(world, "ContinuationReceived");
  const told = !world.run?.retryDue && happens(world, "SteeringPolled") !== undefined;
  const full = subject.governor.standings.filter(isFullBeforeTurns).map(({ limit }) => limit);
  const rule = happens(world, "TurnRequested");
  const decision = subject.decide(call);
  const retry = rule === "TurnRetried";
  subject.onlooker.sawTurn(decision, turnsAllowed(world), retry, full);
  assert.deepEqual(decision, expectedTurn(world, told));
  if (rule && world.run?.inFlight && world.audited) sent(world, subject);
  return decision;
}

function isFullBeforeTurns({ limit, used, max }: Boundary): boolean {
  return ["tokens", "cost", "time"].includes(limit) && used >= Number(max);
}

function replyToQuestion(world: World, subject: Subject, reply: Reply): void {
  const { onlooker } = subject;
  const held = world.run?.status === "awaiting_confirmation";
  const isRetry = world.run?.retryDue === true;
  const turnsBefore = world.used;
  repliesTo(world, reply);
  const decision = subject.decide((governor) => governor.answer(reply));
  const goesOn = reply !== false;
  if (goesOn && reply !== "wrap-up") onlooker.sawYes(world.used <= turnsBefore);
  if (goesOn && reply === "wrap-up") onlooker.sawWish(!held && world.used < turnsBefore);
  if (!held && goesOn) {
    assert.deepEqual(decision, { kind: "proceed" });
    return;
  }
  onlooker.sawTurn(decision, "unlimited", isRetry, []);
  assert.deepEqual(decision, expectedTurn(world, world.run?.wrapUpTold ?? false));
  if (goesOn && world.audited) sent(world, subject);
}

/** One reply is, in the words of the specification, what it says and what follows from that. */
function repliesTo(world: World, reply: Reply): void {
  if (reply === false) {
    happens(world, "UserDeclinesContinuation");
    return;
  }
  if (reply === "wrap-up" && happens(world, "UserWrapsUp") === "HeldTurnWrapsUp") return;
  if (reply === "unlimited") happens(world, "UserAllows", { allowance: reply });
  if (typeof reply === "object") happens(world, "UserAllows", { allowance: reply.more });
  happens(world, "UserConfirmsContinuation");
  happens(world, "ContinuationReleased");
}

function spent(world: World, usage: Usage): void {
  const { run } = world;
  if (!run) return;
  const { input, output, cost } = usage;
  const sum = run.usage;
  run.usage = { input: (sum?.input ?? 0) + input, output: (sum?.output ?? 0) + output };
  if (cost !== undefined || sum?.cost !== undefined) run.usage.cost = (sum?.cost ?? 0) + (cost ?? 0);
  happens(world, "UsageReported", { budget: "tokens", amount: input + output });
  if (cost !== undefined) happens(world, "UsageReported", { budget: "cost", amount: cost });
  else if (input + output > 0) happens(world, "PriceMissing");
}
