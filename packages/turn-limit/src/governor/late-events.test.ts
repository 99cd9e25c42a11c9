import { expect, test } from "vitest";
import { asking, prompted, takeTurns } from "../../test/runs.ts";
import { createGovernor } from "./createGovernor.ts";

test("events that come after the run has settled change nothing", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 2);
  governor.settled();
  const before = governor.state;

  governor.turnEnded();
  governor.turnEnded("failed");
  governor.turnEnded("aborted");
  governor.turnDiscarded();
  expect(governor.takeWrapUp()).toBeUndefined();
  expect(governor.requestWrapUp()).toBe(false);
  expect(governor.answer(true).kind).toBe("stop");
  expect(governor.answer(false).kind).toBe("stop");
  expect(governor.settled()).toBeUndefined();

  expect(governor.state).toEqual(before);
});

test("a turn's end that comes while the run is being stopped changes nothing", () => {
  const governor = asking();
  governor.answer(false);
  const before = governor.state;
  governor.turnEnded("aborted");
  governor.turnEnded("failed");
  governor.turnEnded();
  governor.turnDiscarded();
  expect(governor.state).toEqual(before);
});

test("a turn's end that comes while the question is open changes nothing", () => {
  const governor = asking();
  const before = governor.state;
  governor.turnEnded("failed");
  governor.turnEnded();
  governor.turnDiscarded();
  expect(governor.state).toEqual(before);
});

test("a turn that ends twice is completed once [TurnCompletes]", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 1);
  governor.beforeTurn();
  governor.turnEnded();
  governor.turnEnded();
  expect(governor.state.turns).toMatchObject({ used: 2, completed: 2 });
});

test("a reply to a question in the middle of a turn that is over by then begins no turn", () => {
  const governor = createGovernor({ time: 9, canAsk: true });
  governor.timeIs(0);
  governor.prompt();
  governor.beforeTurn();
  governor.turnEnded();
  governor.timeIs(9);
  governor.overdue();
  governor.setBudgets({ time: 99 });
  expect(governor.answer(true).kind).toBe("proceed");
  expect(governor.turnsUsed).toBe(1);
  governor.settled();
  governor.prompt();
  expect(governor.answer(true).kind).toBe("proceed");
  expect(governor.turnsUsed).toBe(0);
});

test.each(["stop", "no", {}, { more: 0 }, 1, Number.NaN])(
  "%j is no reply, and leaves the question open",
  (reply) => {
    const governor = createGovernor({ turns: 0, canAsk: true });
    governor.prompt();
    governor.beforeTurn();
    expect(() => governor.answer(reply as unknown as boolean)).toThrow(/^reply/);
    expect(governor.status).toBe("asking");
  },
);
