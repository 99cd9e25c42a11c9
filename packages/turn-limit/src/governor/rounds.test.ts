import { expect, test } from "vitest";
import { asking, prompted, takeTurns } from "../../test/runs.ts";

test("yes lets the held turn begin as turn 1 of a new round [ContinuationConfirmed]", () => {
  const governor = asking();
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(governor.turnsUsed).toBe(1);
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
  expect(governor.settled()).toMatchObject({ kind: "completed", turns: 101, rounds: 51, touched: true });
});

test("no stops the run, and it was declined [ContinuationDeclined] [RunEndsDeclined]", () => {
  const governor = asking();
  expect(governor.answer(false)).toEqual({
    kind: "stop",
    outcome: "declined",
    limit: "turns",
    used: 2,
    max: 2,
  });
  expect(governor.settled()).toEqual({
    kind: "declined",
    limit: "turns",
    turns: 2,
    rounds: 1,
    steps: 0,
    maxTurns: 2,
    maxSteps: "unlimited",
    touched: true,
  });
});

test("after a no, no turn begins until the run has settled [ContinuationDeclined]", () => {
  const governor = asking();
  const stop = governor.answer(false);
  governor.maxTurns = "unlimited";
  governor.reset();
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.answer(true)).toEqual(stop);
  expect(governor.stop).toEqual(stop);
});

test("a second yes to the same question begins no second turn [ContinuationConfirmed]", () => {
  const governor = asking();
  governor.answer(true);
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(governor.turnsUsed).toBe(1);
});

test("a reset starts the counter over in the middle of a run [CountersReset]", () => {
  const governor = prompted({ turns: 3 });
  takeTurns(governor, 2);
  governor.reset();
  expect(governor.turnsUsed).toBe(0);
  expect(takeTurns(governor)).toBe(3);
});

test("a reset while the question is open has the held turn decided anew [CountersReset]", () => {
  const governor = asking();
  governor.reset();
  expect(governor.status).toBe("running");
  expect(takeTurns(governor)).toBe(2);
});

test("an answer to a turn from before the counter was zeroed belongs to no round [TurnCompletes] [CompletedWithinStarted]", () => {
  const governor = prompted({ turns: "unlimited" });
  governor.beforeTurn();
  governor.maxTurns = 3;
  governor.turnEnded();
  expect(governor.state.turns).toEqual({ max: 3, used: 0, completed: 0 });
});

test("a question about a turn while the one before it was never said to have ended holds the turn all the same [NothingRunsWhileAsking] [QuestionOvertaken]", () => {
  const governor = prompted({ turns: 1, canAsk: true });
  governor.beforeTurn();
  expect(governor.beforeTurn().kind).toBe("ask");
  governor.maxTurns = 2;
  expect(governor.answer(true).kind).toBe("proceed");
  expect(governor.turnsUsed).toBe(2);
});
