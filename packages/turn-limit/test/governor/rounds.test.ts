import { expect, test } from "vitest";
import { named } from "../helpers/named.ts";
import {
  asking,
  callTools,
  change,
  decisions,
  prompted,
  promptedAtZero,
  takeTurns,
  used,
} from "../helpers/runs.ts";

test("yes lets the held turn begin as turn 1 of a new round [ContinuationConfirmed] [ContinuationWithTheSame]", () => {
  const governor = asking();
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(1);
  governor.turnEnded();
  expect(takeTurns(governor)).toBe(1);
});

test("there is no cap on rounds [ContinuationConfirmed] [EveryRoundHasATurn]", () => {
  const governor = prompted({ turns: 2, canAsk: true });
  for (let round = 0; round < 50; round += 1) {
    takeTurns(governor);
    governor.answer(true);
    governor.turnEnded();
  }
  expect(governor.settled()).toMatchObject({ kind: "completed", turns: 101, rounds: 51, intervened: true });
});

test("no stops the run, and it was declined [ContinuationDeclined] [RunEndsAsDecided]", () => {
  const governor = asking();
  expect(governor.answer(false)).toEqual({
    kind: "stop",
    outcome: "declined",
    raises: false,
    ...named("turns"),
    used: 2,
    max: 2,
  });
  expect(governor.settled()).toEqual({
    kind: "declined",
    ...named("turns"),
    turns: 2,
    rounds: 1,
    steps: 0,
    maxTurns: 2,
    maxSteps: "unlimited",
    intervened: true,
  });
});

test("after a no, no turn begins until the run has settled [ContinuationDeclined] [RunIsEnded]", () => {
  const governor = asking();
  const stop = governor.answer(false);
  change(governor, { turns: "unlimited" });
  governor.reset();
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.answer(true)).toEqual(stop);
  expect(governor.view.stop).toEqual(stop);
});

test("a second yes to the same question begins no second turn [ContinuationConfirmed] [LateReplyDecidesNothing]", () => {
  const governor = asking();
  governor.answer(true);
  expect(governor.answer(true)).toMatchObject({ kind: "stop", outcome: "stopped" });
  expect([governor.view.status, used(governor, "turns")]).toEqual(["running", 1]);
});

test("a reset starts the counter over in the middle of a run [CountersReset]", () => {
  const governor = prompted({ turns: 3 });
  takeTurns(governor, 2);
  governor.reset();
  expect(used(governor, "turns")).toBe(0);
  expect(takeTurns(governor)).toBe(3);
});

test("a reset while the question is open has the held turn decided anew [CountersReset] [QuestionDropped]", () => {
  const governor = asking();
  governor.reset();
  expect(governor.view.status).toBe("running");
  expect(takeTurns(governor)).toBe(2);
});

test("an answer to a turn from before the counter was zeroed belongs to no round [TurnCompletes] [CompletedWithinStarted]", () => {
  const governor = prompted({ turns: "unlimited" });
  governor.beforeTurn();
  change(governor, { turns: { max: 3, grace: 2 } });
  governor.turnEnded();
  expect(used(governor, "turns")).toBe(0);
  expect(governor.takeWrapUp()).toBeUndefined();
  governor.beforeTurn();
  governor.turnEnded("failed");
  expect(governor.takeWrapUp()).toBeUndefined();
});

test("a question about a turn while the one before it was never said to have ended holds the turn all the same [NothingRunsWhileAsking] [QuestionOvertaken]", () => {
  const governor = prompted({ turns: 1, canAsk: true });
  governor.beforeTurn();
  expect(governor.beforeTurn().kind).toBe("ask");
  change(governor, { turns: 2 });
  expect(governor.answer(true).kind).toBe("proceed");
  expect(used(governor, "turns")).toBe(2);
});

test("a turn counts once for the turns and the rounds, limited or not, and so does the last one [TurnCounts]", () => {
  const unlimited = prompted({ turns: "unlimited" });
  takeTurns(unlimited, 3);
  expect(unlimited.settled()).toMatchObject({ turns: 3, rounds: 1 });

  const salvaged = prompted({ turns: { max: 2, headless: "synthesize" } });
  decisions(salvaged, 3);
  expect(salvaged.view.totals.turns).toBe(3);
  expect(salvaged.settled()).toMatchObject({ kind: "salvaged", turns: 3, rounds: 1 });
});

test("in a new round nothing is used, what was granted or refused is forgotten, and the totals go on [RoundIsNew] [RoundIsOnTheMeter]", () => {
  const governor = prompted({ turns: 2, tools: { bash: 1 }, canAsk: true });
  governor.beforeTurn();
  callTools(governor, "bash", "bash");
  governor.turnEnded();
  governor.beforeTurn();
  governor.answer({ more: 2 });
  expect(governor.view.standings).toEqual([
    { ...named("turns"), used: 2, max: 2 },
    { ...named("tools.bash"), used: 0, max: 2 },
  ]);
  callTools(governor, "bash", "bash", "bash");
  governor.turnEnded();
  governor.reset();
  expect(governor.view.standings).toEqual([
    { ...named("turns"), used: 0, max: 2 },
    { ...named("tools.bash"), used: 0, max: 1 },
  ]);
  expect(governor.beforeTurn().kind).toBe("proceed");
  expect(governor.settled()).toMatchObject({ turns: 3, steps: 3 });
});

test("no limit shows less than 0 used, whatever starts over while work is under way [RoundIsOnTheMeter] [BudgetIsNotNegative]", () => {
  const governor = promptedAtZero({
    turns: 2,
    tokens: 50,
    cost: 5,
    time: 100,
    tools: { bash: 2 },
    repeats: 2,
  });
  const least = () => Math.min(...governor.view.standings.map((standing) => standing.used));
  const seen: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    governor.beforeTurn();
    governor.beforeStep({ id: "1", tool: "bash" });
    governor.reset();
    seen.push(least());
    governor.timeIs(turn * 10);
    governor.stepEnded({ id: "1", result: "done" });
    governor.turnEnded({ usage: { input: 10, output: 0, cost: 1 } });
    governor.turnDiscarded();
    change(governor, { tokens: "unlimited" });
    change(governor, { tokens: 50 });
    seen.push(least());
  }
  expect(Math.min(...seen)).toBe(0);
});
