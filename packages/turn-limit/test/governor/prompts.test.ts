import { expect, test } from "vitest";
import type { Governor } from "../../src/index.ts";
import { asking, change, prompted, takeTurns, used } from "../helpers/runs.ts";

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
  expect(governor.view.status).toBe("running");
  expect(takeTurns(governor, 1)).toBe(1);
  expect(governor.settled()).toMatchObject({ kind: "completed", turns: 1, rounds: 1, intervened: false });
  expect(governor.settled()).toBeUndefined();
});

test("a program that makes the agent go on gets what is left of the budget [ProgramContinues]", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 3);
  governor.settled();

  expect(takeTurns(governor)).toBe(2);
  expect(governor.settled()).toMatchObject({ kind: "stopped", turns: 2, rounds: 1 });
});

test("a program cannot make a stopped agent go on [ProgramContinues] [LimitStops]", () => {
  const governor = prompted({ turns: 2 });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    takeTurns(governor);
    expect(governor.settled()?.kind).toBe("stopped");
    expect(governor.view.exhausted).toBe(true);
  }
});

test("where someone can be asked, a program that goes on meets the question [ProgramContinues] [LimitReached]", () => {
  const governor = prompted({ turns: 2, canAsk: true });
  takeTurns(governor, 2);
  governor.settled();
  expect(governor.view.exhausted).toBe(false);
  expect(governor.beforeTurn().kind).toBe("ask");
});

test("a no stands: a program that goes on does not bring the question back [DeclineStands]", () => {
  const governor = asking();
  governor.answer(false);
  governor.settled();
  expect(governor.view.exhausted).toBe(true);
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "declined" });
  expect(governor.settled()).toMatchObject({ kind: "declined", turns: 0, intervened: true });
});

test.each([
  ["a prompt", (governor: Governor) => governor.prompt()],
  ["a reset", (governor: Governor) => governor.reset()],
  ["a changed limit", (governor: Governor) => change(governor, { turns: 1 })],
])("%s of a person's ends what a no had meant", (_what, act) => {
  const governor = asking();
  governor.answer(false);
  governor.settled();
  act(governor);
  takeTurns(governor);
  expect(governor.view.status).toBe("asking");
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
  expect(used(governor, "turns")).toBe(0);
  expect(takeTurns(governor)).toBe(5);
});

test.each([
  ["a prompt", true],
  ["a program's message", false],
])(
  "a run begins with %s, and what an earlier one did not send is no longer admitted [RunOpens]",
  (_what, isPrompt) => {
    const governor = prompted({ turns: 9 });
    governor.beforeTurn();
    governor.settled();
    if (isPrompt) governor.prompt();
    governor.beforeTurn();
    expect(governor.requestSent()).toBeUndefined();
    expect(governor.requestSent()).toMatchObject({ outcome: "limit-overrun" });
  },
);
