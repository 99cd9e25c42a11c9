import { expect, test } from "vitest";
import { asking, prompted, takeTurns } from "../../test/runs.ts";
import { InvalidLimit } from "../errors/InvalidLimit.ts";

test("a limit lowered below the counter is the boundary before the next turn [LimitChanged] [TurnLimitReached]", () => {
  const governor = prompted({ turns: 25, canAsk: true });
  takeTurns(governor, 4);
  governor.maxTurns = 3;
  expect(governor.turnsUsed).toBe(4);
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "turns", used: 4, max: 3 });
});

test("a limit lowered while a turn is under way lets that turn finish [LimitChanged] [TurnCompletes]", () => {
  const governor = prompted({ turns: 25 });
  governor.beforeTurn();
  governor.maxTurns = 1;
  governor.turnEnded();
  expect(governor.state.turns.completed).toBe(1);
  expect(governor.beforeTurn().kind).toBe("stop");
});

test("from one number to another the counter keeps its value [LimitChanged]", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 4);
  governor.maxTurns = 7;
  expect(governor.turnsUsed).toBe(4);
  expect(takeTurns(governor)).toBe(3);
});

test("from unlimited to a number the counter starts over [LimitReEnabled]", () => {
  const governor = prompted({ turns: "unlimited" });
  takeTurns(governor, 10);
  governor.maxTurns = 3;
  expect(governor.turnsUsed).toBe(0);
  expect(takeTurns(governor)).toBe(3);
});

test("from a number to unlimited the counter goes on without a boundary [LimitRemoved]", () => {
  const governor = prompted({ turns: 2, canAsk: true });
  takeTurns(governor, 2);
  governor.maxTurns = "unlimited";
  expect(takeTurns(governor, 10)).toBe(10);
  expect(governor.turnsUsed).toBe(12);
});

test("a value that is no limit is refused and changes nothing [LimitIsNotNegative]", () => {
  const governor = asking();
  const before = governor.state;
  expect(() => {
    governor.maxTurns = -1;
  }).toThrow(InvalidLimit);
  expect(governor.state).toEqual(before);
});

test("a limit raised while the question is open answers it, and the counter stays [QuestionOvertaken]", () => {
  const governor = asking();
  governor.maxTurns = 3;
  expect(governor.status).toBe("running");
  expect(takeTurns(governor)).toBe(1);
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "turns", used: 3, max: 3 });
});

test("a limit removed while the question is open answers it [LimitRemoved]", () => {
  const governor = asking();
  governor.maxTurns = "unlimited";
  expect(governor.status).toBe("running");
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test("a limit that still does not cover the held turn leaves the question open [QuestionStands] [AskedOnlyAtTheBoundary]", () => {
  const governor = asking();
  governor.maxTurns = 1;
  expect(governor.status).toBe("asking");
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "turns", used: 2, max: 1 });
});

test("a no that comes after the question was overtaken stops nothing [QuestionOvertaken]", () => {
  const governor = asking();
  governor.maxTurns = 3;
  expect(governor.answer(false)).toEqual({ kind: "proceed" });
  expect(governor.turnsUsed).toBe(3);
});
