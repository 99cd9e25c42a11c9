import assert from "node:assert/strict";
import { type Failure, type Governor, isInvalidLimit, type Reply, type Usage } from "../../src/index.ts";
import * as expected from "./expectations.ts";
import { isWhole } from "./limits.ts";
import type { DecidedTurn } from "./onlooker.ts";
import { happens } from "./rule.ts";
import type { Subject } from "./subject.ts";
import type { Settings, World } from "./world.ts";

/** Lets something happen in the model and to the governor, and compares what comes of it. */
export type Action = (world: World, subject: Subject) => void;

/** One after the other. */
export function all(...actions: Action[]): Action {
  return (world, subject) => {
    for (const act of actions) {
      world.fired = [];
      act(world, subject);
    }
  };
}

/** Only if a person is being asked. */
export function ifAsked(act: Action): Action {
  return (world, subject) => {
    if (world.run?.question) act(world, subject);
  };
}

export const prompt: Action = (world, { governor, onlooker }) => {
  happens(world, "PromptReceived");
  governor.prompt();
  onlooker.sawReset();
};

export const settle: Action = (world, { governor, unreported }) => {
  unreported.length = 0;
  world.ended = undefined;
  happens(world, "RunSettled");
  assert.deepEqual(governor.settled(), expected.outcome(world));
};

/** A run that is over has settled, and a person prompts. */
export const promptIfOver: Action = (world, subject) => {
  const { run } = world;
  if (!run || run.status === "ending" || (run.status === "synthesizing" && !run.inFlight))
    all(settle, prompt)(world, subject);
};

export function turn(priced?: false): Action {
  return (world, subject) => {
    if (priced === false) happens(world, "PriceMissing");
    if (!world.run) happens(world, "ContinuationReceived");
    const { retryDue } = world;
    const isLast = world.run?.status === "synthesizing";
    const full = fullBudgets(subject.governor);
    happens(world, "TurnRequested");
    const decision = subject.decide((governor) =>
      governor.beforeTurn(priced === false ? { priced } : undefined),
    );
    assert.deepEqual(decision, expected.turn(world));
    const isRetry = retryDue && (isLast || decision.kind !== "synthesize");
    decided(world, subject, { decision, isRetry, isConfirmed: false, full });
  };
}

/** A turn that ends, if it may begin. */
export function turnThen(ending: "answered" | Failure, usage?: Usage): Action {
  return all(turn(), (world, subject) => {
    if (world.run?.inFlight) turnEnded(ending, usage)(world, subject);
  });
}

const ENDINGS = { answered: "TurnAnswered", failed: "TurnFailed", aborted: "TurnAborted" };

export function turnEnded(ending: "answered" | Failure, usage?: Usage): Action {
  return (world, subject) => {
    const { governor } = subject;
    report(world, subject);
    if (usage) spent(world, usage);
    happens(world, ENDINGS[ending]);
    if (ending === "answered") governor.turnEnded(usage && { usage });
    else governor.turnEnded(usage ? { failure: ending, usage } : ending);
  };
}

/** The turn that was admitted last was never sent. */
export const abandon: Action = (world, { governor, onlooker, unreported }) => {
  const { totals, wrapUpSent } = governor.view;
  happens(world, "TurnNeverSent");
  governor.turnAbandoned();
  const latest = unreported.lastIndexOf("turns");
  if (latest >= 0) unreported.splice(latest, 1);
  const { view } = governor;
  onlooker.sawTakenBack(totals.turns - view.totals.turns, wrapUpSent && !view.wrapUpSent);
};

export const discard: Action = (world, { governor }) => {
  happens(world, "TurnDiscarded");
  governor.turnDiscarded();
};

/** Something beside the turns took this much. */
export function spend(activity: "compaction" | "nested", usage: Usage): Action {
  return (world, { governor }) => {
    spent(world, usage, world.run ? "UsageReported" : "SpentOutsideRun");
    governor.spend(activity, usage);
  };
}

/** A person replies: to the last question but so many, or without saying to which. */
export function answer(reply: Reply, last?: number): Action {
  return (world, subject) => {
    const ask = last === undefined ? undefined : subject.asks.at(-1 - last);
    const { run, retryDue, fired } = world;
    const isTurnHeld = run?.status === "asking" && !retryDue;
    const asked = run?.question?.budget ?? "";
    const full = fullBudgets(subject.governor);
    happens(world, "ReplyGiven", { reply, ask });
    const isOpen = !fired.includes("LateReplyDecidesNothing");
    if (fired.includes("RoundStartsOver")) subject.onlooker.sawYes(reply, asked, isTurnHeld);
    const decision = subject.decide((governor) => governor.answer(reply, ask));
    assert.deepEqual(decision, expected.reply(world, ask));
    // A reply that only lets a turn go on decides about none.
    const isAboutTurn = isOpen ? !fired.includes("TimeGoesOn") : fired.includes("WaiterDecidedAnew");
    const isRetry = retryDue && decision.kind !== "synthesize";
    if (isAboutTurn) decided(world, subject, { decision, isRetry, isConfirmed: isOpen, full });
  };
}

/** Calls of tools. Their results come before the next call, or the last one first, as if they were nested, or never. */
export function calls(made: (readonly [string, number])[], results: "each" | "nested" | "none"): Action {
  return (world, subject) => {
    const begun: string[] = [];
    for (const [tool, args] of made) {
      subject.calls += 1;
      const id = `${subject.calls}`;
      if (!world.run) happens(world, "ContinuationReceived");
      world.fired = [];
      happens(world, "ToolCallRequested", { call: { id, tool, key: `${tool} ${args}` } });
      const decision = subject.decide((governor) => governor.beforeStep({ id, tool, args: { args } }));
      assert.deepEqual(decision, expected.step(world));
      subject.onlooker.sawStep(decision, tool);
      if (decision.kind !== "proceed") continue;
      done("steps", world, subject);
      if (results === "each") result(id)(world, subject);
      else begun.push(id);
    }
    if (results === "nested") for (const id of begun.reverse()) result(id)(world, subject);
  };
}

/** A call has a result; without an id, the first that is under way. */
export function result(id?: string, text = "same"): Action {
  return (world, { governor }) => {
    happens(world, "ToolCallEnded", { id, result: text });
    governor.stepEnded({ id, result: text });
  };
}

/** The host asks what to tell the model before the turn that comes. */
export const poll: Action = (world, subject) => {
  happens(world, "SteeringPolled");
  const message = subject.decide((governor) => governor.takeWrapUp());
  assert.equal(message, expected.wrapUp(world));
  if (message) subject.onlooker.sawWrapUp();
};

export const requestWrapUp: Action = (world, { governor }) => {
  const rule = happens(world, "WrapUpWanted");
  assert.equal(governor.requestWrapUp(), rule !== undefined);
};

/** The host's clock went on by this much, or was set back. */
export function timePasses(ms: number): Action {
  return (world, subject) => {
    subject.now += ms;
    happens(world, "ClockRead", { time: subject.now });
    subject.governor.timeIs(subject.now);
  };
}

export function wait(waiting: boolean): Action {
  return (world, { governor }) => {
    happens(world, "WaitingChanged", { waiting });
    governor.waiting(waiting);
  };
}

/** The host looks whether the time is up. */
export function checkTime(canGoOn = true): Action {
  return (world, subject) => {
    happens(world, "TimeChecked", { canGoOn });
    const decision = subject.decide((governor) => governor.overdue(canGoOn));
    assert.deepEqual(decision, expected.overdue(world));
    if (decision?.kind === "ask") subject.asks.push(decision);
  };
}

/** A request is really sent, or a call executed. Some hosts say so later, and some never. */
function done(what: "turns" | "steps", world: World, subject: Subject): void {
  subject.unreported.push(what);
  if (subject.host.reports === "at once") report(world, subject);
}

function report(world: World, subject: Subject): void {
  const { unreported, host, onlooker } = subject;
  for (const what of host.reports === "never" ? [] : unreported.splice(0)) {
    const rule = happens(world, "WorkDone", { what });
    const event = what === "turns" ? "requestSent" : "stepExecuted";
    const decision = subject.decide((governor) => governor[event]());
    assert.deepEqual(decision, rule === "WorkOverruns" ? expected.stop(world) : undefined);
    onlooker.sawWork(decision);
  }
}

/** Something is done that nobody admitted. */
export function overdo(what: "turns" | "steps"): Action {
  return (world, subject) => {
    subject.onlooker.isRogue = true;
    done(what, world, subject);
  };
}

export const reset: Action = (world, { governor, onlooker }) => {
  happens(world, "ResetRequested");
  governor.reset();
  onlooker.sawReset();
};

/** Other settings hold: those that held, but for this. */
export function configure(change: Partial<Settings>): Action {
  return (world, subject) => {
    subject.settings = { ...subject.settings, ...change };
    happens(world, "Configured", { settings: subject.settings });
    subject.governor.configure(subject.governorSettings(subject.settings));
    subject.onlooker.sawSettings(subject.settings);
  };
}

/** One limit is another from now on. */
export function limit(change: Partial<Settings["limits"]>): Action {
  return (world, subject) => configure({ limits: { ...subject.settings.limits, ...change } })(world, subject);
}

/** The settings that hold are given once more, as a person wrote them or as the governor says them. */
export const configureTheSame: Action = (world, subject) => {
  const { governor, settings } = subject;
  const before = governor.state;
  happens(world, "Configured", { settings });
  governor.configure(subject.governorSettings(settings));
  governor.configure(governor.view.settings);
  assert.deepEqual(governor.state, before);
};

/** The dynamic grace is something else from now on. */
export function offerGrace(grace: number | undefined): Action {
  return (world, subject) => {
    world.offeredGrace = subject.offeredGrace = grace;
  };
}

/** The governor is saved, and one that goes on from there takes its place. Whoever asked during a turn is gone. */
export function saveAndRestore(canAsk?: boolean): Action {
  return (world, subject) => {
    const { state } = subject.governor;
    if (world.run?.question && world.run.status !== "asking") happens(world, "QuestionDrops");
    else if (canAsk === undefined) assert.deepEqual(subject.copy().state, state);
    subject.governor = subject.copy(canAsk);
    subject.settings = { ...subject.settings, canAsk: canAsk ?? subject.settings.canAsk };
    happens(world, "AskingConfigured", { settings: subject.settings });
    if (!world.canAsk) happens(world, "QuestionDrops");
  };
}

/** What is no number, reply or limit is refused, and changes nothing. */
export function refuse(bad: number): Action {
  return (world, { governor }) => {
    const { question } = world.run ?? {};
    const { state, view } = governor;
    const acts = [
      () => governor.configure({ ...view.settings, turns: bad }),
      () => governor.configure({ ...view.settings, tokens: 1, steps: bad }),
      () => governor.configure({ ...view.settings, tools: { read: bad } }),
      () => governor.turnEnded({ usage: { input: bad, output: 0 } }),
      () => governor.spend("nested", { input: 0, output: 0, cost: bad }),
    ];
    if (question)
      acts.push(() => governor.answer({ more: isWhole(world.budgets[question.budget]) ? bad : -1 }));
    for (const act of acts) assert.throws(act, isInvalidLimit);
    assert.deepEqual(governor.state, state);
  };
}

function decided(world: World, subject: Subject, turn: DecidedTurn): void {
  subject.onlooker.sawTurn(turn);
  if (turn.decision.kind === "ask") subject.asks.push(turn.decision);
  if (world.run?.inFlight) done("turns", world, subject);
}

/** What is used up, of the limits that every request counts for. */
function fullBudgets({ view }: Governor): string[] {
  const full = view.standings.filter(({ used, max }) => used >= Number(max));
  return full.map(({ limit }): string => limit).filter((limit) => ["tokens", "cost", "time"].includes(limit));
}

function spent(
  world: World,
  { input, output, cacheRead = 0, cost }: Usage,
  event: "UsageReported" | "SpentOutsideRun" = "UsageReported",
): void {
  const priced = cost === undefined ? {} : { priced: 1, dimes: Math.round(cost * 10) };
  happens(world, event, { spent: { input, output, cacheRead, reports: 1, ...priced } });
  const isCounted = world.run || event === "SpentOutsideRun";
  if (isCounted && cost === undefined && input + output + cacheRead > 0) happens(world, "PriceMissing");
}
