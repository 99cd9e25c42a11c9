import { expect, test } from "vitest";
import { type Ask, createGovernor } from "../../src/index.ts";
import { asking, callTools, change, prompted, promptedAtZero, takeTurns, used } from "../helpers/runs.ts";

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
  const governor = prompted({ turns: { max: 5, grace: 3 } });
  governor.beforeTurn();
  governor.turnEnded();
  governor.turnEnded();
  expect(governor.takeWrapUp()).toBeUndefined();
  takeTurns(governor, 1);
  expect(governor.takeWrapUp()).toBeDefined();
});

test("a reply to a question in the middle of a turn that is over by then begins no turn [LateReplyDecidesNothing]", () => {
  const governor = promptedAtZero({ time: 9, canAsk: true });
  governor.beforeTurn();
  governor.turnEnded();
  governor.timeIs(9);
  const ask = governor.overdue() as Ask;
  change(governor, { time: 99 });
  expect(governor.answer(true, ask)).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(1);
  governor.settled();
  expect(governor.answer(true, ask).kind).toBe("stop");
  governor.prompt();
  const before = governor.state;
  expect(governor.answer(true, ask).kind).toBe("stop");
  expect(governor.answer(false, ask).kind).toBe("stop");
  expect(governor.state).toEqual(before);
});

test.each(["stop", "no", {}, { more: 0 }, 1, Number.NaN])(
  "%j is no reply, and leaves the question open [BadReplyRefused]",
  (reply) => {
    const governor = createGovernor({ turns: 0, canAsk: true });
    governor.prompt();
    governor.beforeTurn();
    expect(() => governor.answer(reply as unknown as boolean)).toThrow(/^reply/);
    expect(governor.view.status).toBe("asking");
  },
);

test("a reply before anything was asked begins no turn [LateReplyDecidesNothing]", () => {
  const governor = prompted({ canAsk: true });
  const before = governor.state;
  for (const reply of [true, false])
    expect(governor.answer(reply)).toMatchObject({ kind: "stop", raises: false });
  expect(governor.state).toEqual(before);
});

test("the end of a turn that comes only when the next one is held changes nothing [NothingRunsWhileAsking]", () => {
  const governor = prompted({ turns: 1, canAsk: true });
  governor.beforeTurn();
  expect(governor.beforeTurn().kind).toBe("ask");
  const before = governor.state;
  governor.turnEnded();
  expect(governor.state).toEqual(before);
});

test("an answer that is not there yet cannot be thrown away, and its calls stay in the row [AnswerDiscarded]", () => {
  const governor = prompted({ repeats: 2 });
  governor.beforeTurn();
  callTools(governor, "poll", "poll");
  governor.turnDiscarded();
  expect(callTools(governor, "poll")).toEqual(["refuse"]);
});
