import { expect, test } from "vitest";
import { createGovernor } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { asking, prompted, takeTurns } from "../helpers/runs.ts";

test("an agent that finishes by itself on its last turn did not hit the limit [RunEndsNaturally]", () => {
  const governor = prompted({ turns: 5, canAsk: true });
  takeTurns(governor, 5);
  expect(governor.settled()).toEqual({
    kind: "completed",
    turns: 5,
    rounds: 1,
    steps: 0,
    maxTurns: 5,
    maxSteps: "unlimited",
    intervened: false,
  });
});

test("a run stopped without a question was stopped, and by which limit is told [RunEndsAsDecided]", () => {
  const governor = prompted({ turns: 2 });
  takeTurns(governor);
  expect(governor.settled()).toEqual({
    kind: "stopped",
    ...named("turns"),
    turns: 2,
    rounds: 1,
    steps: 0,
    maxTurns: 2,
    maxSteps: "unlimited",
    intervened: true,
  });
});

test("a run that a limit of the host's own ended was stopped, by none of ours", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 2);
  const outcome = governor.settled(true);
  expect(outcome).toMatchObject({ kind: "stopped", turns: 2, intervened: false });
  expect(outcome).not.toHaveProperty("limit");
  governor.prompt();
  takeTurns(governor, 1);
  governor.beforeTurn();
  governor.turnEnded("aborted");
  expect(governor.settled(true)).toMatchObject({ kind: "aborted" });
});

test("a run whose last request failed for good has failed [RunFails]", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 1);
  governor.beforeTurn();
  governor.turnEnded("failed");
  expect(governor.settled()).toMatchObject({ kind: "failed", turns: 2, intervened: false });
});

test("an answer that was thrown away and never came again means the run failed [AnswerDiscarded] [RunFails]", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 1);
  governor.turnDiscarded();
  expect(governor.settled()?.kind).toBe("failed");
});

test("an aborted run was aborted [TurnCancelled] [RunAborted]", () => {
  const governor = prompted({ turns: 5 });
  governor.beforeTurn();
  governor.turnEnded("aborted");
  expect(governor.settled()).toEqual({
    kind: "aborted",
    turns: 1,
    rounds: 1,
    steps: 0,
    maxTurns: 5,
    maxSteps: "unlimited",
    intervened: false,
  });
});

test("a run aborted while the question was open was aborted, not declined [RunEndsUnanswered]", () => {
  const governor = asking();
  expect(governor.settled()).toEqual({
    kind: "aborted",
    turns: 2,
    rounds: 1,
    steps: 0,
    maxTurns: 2,
    maxSteps: "unlimited",
    intervened: true,
  });
});

test("a question or a stop leaves its mark on the outcome, even if the run completes [LimitLeavesItsMark]", () => {
  const governor = asking();
  governor.answer(true);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "completed", intervened: true });
});

test("an answer that comes after the abort does not undo it [RunAborted]", () => {
  const governor = prompted({ turns: 5 });
  governor.beforeTurn();
  governor.turnEnded("aborted");
  governor.turnEnded();
  expect(governor.settled()?.kind).toBe("aborted");
});

test("before any prompt there is no run to settle", () => {
  expect(createGovernor().settled()).toBeUndefined();
});
