import { expect, test } from "vitest";
import { asking, prompted, takeTurns } from "../../test/runs.ts";

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
