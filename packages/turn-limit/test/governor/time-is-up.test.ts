import { expect, test } from "vitest";
import { type Ask, DEFAULT_SYNTHESIS_MESSAGE } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { takeSteps, takeTurns, turnWithSteps, used } from "../helpers/runs.ts";
import { overdue, timed } from "../helpers/timed.ts";

test("the time in which a person is asked in the middle of a turn does not count", () => {
  const { governor, pass } = timed({ time: 1_000, canAsk: true });
  governor.beforeTurn();
  pass(1_200);
  governor.overdue();
  pass(3_600_000);
  expect(used(governor, "time")).toBe(1_200);
});

test("without a time limit a run is never overdue, nor while there is time left", () => {
  const endless = timed({});
  endless.pass(1e9);
  expect(endless.governor.overdue()).toBeUndefined();
  const { governor, pass } = timed({ time: 1_000 });
  governor.beforeTurn();
  pass(999);
  expect(governor.overdue()).toBeUndefined();
  pass(1);
  expect(governor.overdue()).toBeDefined();
});

test("a person who can be asked is asked in the middle of the turn, which goes on meanwhile", () => {
  const { governor } = overdue({ canAsk: true });
  expect(governor.overdue()).toMatchObject({ kind: "ask", ...named("time"), used: 1_000, max: 1_000 });
  expect(governor.overdue()).toBeUndefined();
  expect(governor.view.timeLeft).toBeUndefined();
  expect(governor.view.status).toBe("running");
  expect(takeSteps(governor, 2)).toEqual(["proceed", "proceed"]);
});

test("a yes in the middle of a turn starts the time over, and no new round of turns", () => {
  const { governor, pass, turnsOf } = overdue({ turns: 9, canAsk: true });
  governor.overdue();
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect([governor.view.timeLeft, used(governor, "turns")]).toEqual([1_000, 1]);
  pass(300);
  governor.turnEnded();
  expect(turnsOf(700)).toBe(1);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("time"), used: 1_000 });
  expect(governor.settled()).toMatchObject({ turns: 2, rounds: 1, time: 2_000 });
});

test("a no in the middle of a turn ends the run: nothing more begins in it", () => {
  const { governor } = overdue({ canAsk: true });
  governor.overdue();
  const stop = {
    kind: "stop",
    outcome: "declined",
    raises: false,
    ...named("time"),
    used: 1_000,
    max: 1_000,
  };
  expect(governor.answer(false)).toEqual(stop);
  expect(governor.beforeStep()).toMatchObject({ kind: "refuse", limit: "time" });
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.overdue()).toBeUndefined();
  expect(governor.settled()).toMatchObject({ kind: "declined", limit: "time" });
});

test("a turn that ends before the person replies leaves the next one held for the same question [QuestionAsked] [OneQuestionAtATime]", () => {
  const { governor } = overdue({ canAsk: true });
  const { midTurn, ...question } = governor.overdue() as Ask;
  expect(midTurn).toBe(true);
  governor.turnEnded();
  expect(governor.beforeTurn()).toEqual(question);
  expect([governor.view.status, used(governor, "turns")]).toEqual(["asking", 1]);
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(2);
});

test("a person who replies between two turns to what was asked during the first lets the second begin", () => {
  const { governor } = overdue({ canAsk: true });
  governor.overdue();
  governor.turnEnded();
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(1);
  expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(2);
});

test.each([
  ["nobody can be asked", {}],
  ["that is the policy", { time: { max: 1_000, onExhausted: "stop" }, canAsk: true }],
] as const)("where %s, a run that is overdue is stopped in the middle of its turn", (_where, options) => {
  const { governor } = overdue(options);
  const stop = { kind: "stop", outcome: "stopped", raises: false, ...named("time"), used: 1_000, max: 1_000 };
  expect(governor.overdue()).toEqual(stop);
  expect(governor.overdue()).toBeUndefined();
  expect(takeSteps(governor, 1)).toEqual(["refuse"]);
  expect(governor.beforeTurn()).toEqual(stop);
});

test.each([
  { time: { max: 1_000, onExhausted: "synthesize" }, canAsk: true },
  { time: { max: 1_000, headless: "synthesize" } },
] as const)("with %j, what is under way is cut off, and an answer without tools comes next", (options) => {
  const { governor, pass } = overdue(options);
  const reason =
    "Cut off before it had a result: the time limit is reached (1s/1s). No more tool calls are possible in this run.";
  expect(governor.overdue()).toEqual({
    kind: "synthesize",
    ...named("time"),
    used: 1_000,
    max: 1_000,
    reason,
  });
  expect(governor.overdue()).toBeUndefined();
  expect(takeSteps(governor, 1)).toEqual(["refuse"]);
  governor.turnEnded("aborted");
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", message: DEFAULT_SYNTHESIS_MESSAGE });
  pass(999);
  expect([governor.view.timeLeft, governor.overdue()]).toEqual([1, undefined]);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "salvaged", ...named("time"), turns: 2 });
});

test("the answer without tools has as much time as a round, and is stopped if it takes longer [TimeForSynthesis]", () => {
  const { governor, pass } = overdue({ time: { max: 1_000, onExhausted: "synthesize" } });
  governor.overdue();
  governor.turnEnded("aborted");
  governor.beforeTurn();
  pass(1_000);
  expect(governor.overdue()).toMatchObject({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("time"),
  });
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("time"), time: 2_000 });
});

test("a host that cannot go on after cutting off is told to stop instead", () => {
  const { governor } = overdue({ time: { max: 1_000, onExhausted: "synthesize" } });
  expect(governor.overdue(false)).toMatchObject({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("time"),
  });
});

test("a run that took no turn has nothing to answer from, and is stopped when its time is up", () => {
  const { governor, pass } = timed({ time: { max: 1_000, onExhausted: "synthesize" } });
  pass(1_000);
  expect(governor.overdue()).toMatchObject({ kind: "stop", limit: "time" });
});

test("a call that hangs when another limit has made the answer without tools due is cut off for it [TimeUpHastensSynthesis]", () => {
  const steps = { max: 1, onExhausted: "synthesize" } as const;
  const { governor, pass } = timed({ steps, time: { max: 1_000, onExhausted: "stop" } });
  turnWithSteps(governor, 2);
  pass(1_000);
  expect(governor.overdue()).toMatchObject({ kind: "synthesize", limit: "steps" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "steps" });
  expect(governor.view.timeLeft).toBe(1_000);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "salvaged", limit: "steps" });
});

test("a host that does not get to the answer without tools ends the run [TimeUpGivesUpSynthesis]", () => {
  const { governor } = overdue({ time: { max: 1_000, onExhausted: "synthesize" } });
  governor.overdue();
  governor.turnEnded("aborted");
  expect(governor.overdue()).toBeUndefined();
  expect(governor.overdue(false)).toMatchObject({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("time"),
  });
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("time"), turns: 1 });
});

test("a wrap-up that a person wants when the time is up has time again", () => {
  const { governor, turnsOf } = timed({ time: 1_000, canAsk: true });
  turnsOf(1_000);
  expect(governor.answer("wrap-up").kind).toBe("wrap-up");
  expect(governor.view.timeLeft).toBe(1_000);
});

test("without any time a person is asked before every turn, and not in between", () => {
  const { governor } = timed({ time: 0, canAsk: true });
  governor.beforeTurn();
  expect(governor.answer(true).kind).toBe("proceed");
  expect([governor.view.timeLeft, governor.overdue()]).toEqual([undefined, undefined]);
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "time" });
});

test.each(["ask", "stop", "synthesize"] as const)(
  "an answer without tools that another limit made due is stopped when the time is up, if the policy is %s",
  (onExhausted) => {
    const steps = { max: 1, onExhausted: "synthesize" } as const;
    const { governor, pass } = timed({ steps, time: { max: 1_000, onExhausted }, canAsk: true });
    turnWithSteps(governor, 2);
    expect(governor.beforeTurn().kind).toBe("synthesize");
    pass(400);
    expect(governor.view.timeLeft).toBe(600);
    pass(600);
    expect(governor.overdue()).toMatchObject({
      kind: "stop",
      outcome: "stopped",
      raises: false,
      ...named("time"),
    });
    expect(governor.settled()).toMatchObject({ kind: "stopped", limit: "time" });
  },
);

test("who has said no is not asked again when a program goes on until the time is up", () => {
  const { governor, pass } = timed({ turns: 1, time: 1_000, canAsk: true });
  takeTurns(governor);
  governor.answer(false);
  governor.settled();
  governor.beforeStep();
  pass(1_000);
  expect(governor.overdue()).toMatchObject({
    kind: "stop",
    outcome: "declined",
    raises: false,
    ...named("time"),
  });
});

test("a run that is over or held is not overdue", () => {
  const { governor, pass, turnsOf } = timed({ turns: 1, time: 1_000, canAsk: true });
  turnsOf(10);
  pass(5_000);
  expect([governor.view.status, governor.overdue()]).toEqual(["asking", undefined]);
  governor.settled();
  pass(5_000);
  expect(governor.overdue()).toBeUndefined();
});

test("a turn that is asked for again is held like any other when the time is up", () => {
  const { governor } = overdue({});
  governor.turnEnded("failed");
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "time" });
});

test.each([
  [400, "0.4s/0.4s"],
  [40, "0.04s/0.04s"],
  [1_500, "1.5s/1.5s"],
  [90_000, "1m 30s/1m30s"],
])("a call refused after %i milliseconds reads (%s)", (ms, amounts) => {
  const { governor, pass } = timed({ time: ms });
  governor.beforeTurn();
  pass(ms);
  governor.overdue();
  expect(governor.beforeStep()).toMatchObject({
    reason: `Not run: the time limit is reached (${amounts}). No more tool calls are possible in this run.`,
  });
});
