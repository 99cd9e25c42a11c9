import { expect, test } from "vitest";
import { DEFAULT_WRAP_UP_MESSAGE } from "../../src/index.ts";
import { prompted, takeTurns, used } from "../helpers/runs.ts";

test("a failed request that is made again is the same turn [TurnRetried] [RetryIsNotCounted]", () => {
  const governor = prompted({ turns: 2 });
  governor.beforeTurn();
  for (let failure = 0; failure < 5; failure += 1) {
    governor.turnEnded("failed");
    expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
    expect(used(governor, "turns")).toBe(1);
  }
  governor.turnEnded();
  expect(takeTurns(governor)).toBe(1);
  expect(governor.settled()?.turns).toBe(2);
});

test("a retry of the last turn is not held at the boundary [TurnRetried]", () => {
  const governor = prompted({ turns: 1, canAsk: true });
  governor.beforeTurn();
  governor.turnEnded("failed");
  expect(governor.beforeTurn().kind).toBe("proceed");
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("ask");
});

test("a failed turn is not completed until its retry is answered [TurnFails] [TurnCompletes]", () => {
  const governor = prompted({ turns: { max: 5, grace: 4 } });
  governor.beforeTurn();
  governor.turnEnded("failed");
  expect(governor.view.request).toBe("retry-due");
  expect([used(governor, "turns"), governor.takeWrapUp()]).toEqual([1, undefined]);
  governor.beforeTurn();
  governor.turnEnded();
  expect([used(governor, "turns"), governor.takeWrapUp()]).toEqual([1, DEFAULT_WRAP_UP_MESSAGE]);
});

test("a failure that belongs to no turn buys no free turn [FailsBetweenTurns] [RetryFollowsFailure]", () => {
  const governor = prompted({ turns: 1 });
  governor.turnEnded("failed");
  expect(takeTurns(governor)).toBe(1);

  governor.prompt();
  takeTurns(governor, 1);
  governor.turnEnded("failed");
  expect(governor.beforeTurn().kind).toBe("stop");
});

test("an answer thrown away and asked for again is the same turn [AnswerDiscarded] [TurnRetried]", () => {
  const governor = prompted({ turns: 2 });
  takeTurns(governor, 2);
  governor.turnDiscarded();
  expect(governor.beforeTurn().kind).toBe("proceed");
  governor.turnEnded();
  expect(used(governor, "turns")).toBe(2);
  expect(governor.beforeTurn().kind).toBe("stop");
});

test("without an answer there is nothing to throw away [AnswerDiscarded]", () => {
  const governor = prompted({ turns: 1 });
  governor.turnDiscarded();
  expect(takeTurns(governor)).toBe(1);

  governor.prompt();
  governor.beforeTurn();
  governor.turnDiscarded();
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("stop");
});

test("a turn after an aborted one is a new turn [TurnCancelled] [TurnAdmitted]", () => {
  const governor = prompted({ turns: 5 });
  governor.beforeTurn();
  governor.turnEnded("aborted");
  expect(takeTurns(governor)).toBe(4);
});

test("an answer thrown away brings the wrap-up no nearer, and counts once it has come again [AnswerDiscarded] [TurnCompletes]", () => {
  const governor = prompted({ turns: { max: 5, grace: 3 } });
  takeTurns(governor, 2);
  governor.turnDiscarded();
  expect(governor.takeWrapUp()).toBeUndefined();
  takeTurns(governor, 1);
  expect(governor.takeWrapUp()).toBe(DEFAULT_WRAP_UP_MESSAGE);
});
