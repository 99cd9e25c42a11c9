import { expect, test } from "vitest";
import { asking, prompted, takeTurns } from "../../test/runs.ts";
import type { Governor } from "./Governor.ts";

test("after a stop the next prompt starts a fresh run [PersonPrompts]", () => {
  const governor = prompted({ turns: 2 });
  takeTurns(governor);
  governor.settled();
  governor.prompt();
  expect(takeTurns(governor)).toBe(2);
});

test("a prompt also starts a fresh run when the end of the one before was lost [PersonPrompts] [OneOpenRun]", () => {
  const governor = asking();
  governor.answer(false);
  governor.prompt();
  expect(governor.status).toBe("running");
  expect(takeTurns(governor, 1)).toBe(1);
  expect(governor.settled()).toMatchObject({ kind: "completed", turns: 1, rounds: 1, touched: false });
  expect(governor.settled()).toBeUndefined();
});

test("a program that makes the agent go on gets what is left of the budget [ProgramContinues]", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 3);
  governor.settled();

  expect(takeTurns(governor)).toBe(2);
  expect(governor.settled()).toMatchObject({ kind: "stopped", turns: 2, rounds: 1 });
});

test("a program cannot make a stopped agent go on [ProgramContinues] [TurnLimitReachedHeadless]", () => {
  const governor = prompted({ turns: 2 });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    takeTurns(governor);
    expect(governor.settled()?.kind).toBe("stopped");
    expect(governor.exhausted).toBe(true);
  }
});

test("where someone can be asked, a program that goes on meets the question [ProgramContinues] [TurnLimitReached]", () => {
  const governor = prompted({ turns: 2, canAsk: true });
  takeTurns(governor, 2);
  governor.settled();
  expect(governor.exhausted).toBe(false);
  expect(governor.beforeTurn().kind).toBe("ask");
});

test("a no stands: a program that goes on does not bring the question back [DeclineStands]", () => {
  const governor = asking();
  governor.answer(false);
  governor.settled();
  expect(governor.exhausted).toBe(true);
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "declined" });
  expect(governor.settled()).toMatchObject({ kind: "declined", turns: 0, touched: true });
});

test.each([
  ["a prompt", (governor: Governor) => governor.prompt()],
  ["a reset", (governor: Governor) => governor.reset()],
  ["a changed limit", (governor: Governor) => Object.assign(governor, { maxTurns: 1 })],
])("%s of a person's ends what a no had meant", (_what, act) => {
  const governor = asking();
  governor.answer(false);
  governor.settled();
  act(governor);
  takeTurns(governor);
  expect(governor.status).toBe("asking");
});

test("a program's message after a failed run is a new turn, not a retry [ProgramContinues] [TurnAdmitted]", () => {
  const governor = prompted({ turns: 2 });
  governor.beforeTurn();
  governor.turnEnded("failed");
  governor.settled();
  expect(takeTurns(governor)).toBe(1);
});

test("a person's prompt starts the counter over [PersonPrompts]", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 4);
  governor.prompt();
  expect(governor.turnsUsed).toBe(0);
  expect(takeTurns(governor)).toBe(5);
});
