import { expect, test, vi } from "vitest";
import { createGovernor, DEFAULT_WRAP_UP_MESSAGE } from "../../src/index.ts";
import { asking, change, decisions, outOfSteps, prompted, takeTurns, used } from "../helpers/runs.ts";

test("with grace 2 of 5 the model is told before its fourth turn, once, and the limit still stands [WrapUpDelivered] [LimitStops]", () => {
  const governor = prompted({ turns: { max: 5, grace: 2 } });
  expect(decisions(governor, 6)).toEqual(["proceed", "proceed", "proceed", "wrap-up", "proceed", "stop"]);
});

test("the decision carries what to tell the model, and the turn is counted [WrapUpDelivered] [TurnAdmitted]", () => {
  const governor = prompted({ turns: { max: 2, grace: 1 } });
  takeTurns(governor, 1);
  expect(governor.beforeTurn()).toEqual({ kind: "wrap-up", message: DEFAULT_WRAP_UP_MESSAGE });
  expect(used(governor, "turns")).toBe(2);
});

test("a host that delivers before the turn takes the message, and the turn just proceeds [WrapUpDelivered] [SteeringIsAnswered]", () => {
  const governor = prompted({ turns: { max: 3, grace: 1 } });
  takeTurns(governor, 1);
  expect(governor.takeWrapUp()).toBeUndefined();
  takeTurns(governor, 1);
  expect(governor.takeWrapUp()).toBe(DEFAULT_WRAP_UP_MESSAGE);
  expect(governor.takeWrapUp()).toBeUndefined();
  expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
});

test("an agent that finishes after it was told has wrapped up [RunEndsWarned] [WrappedUpMeansWarned]", () => {
  const governor = prompted({ turns: { max: 3, grace: 1 } });
  decisions(governor, 3);
  expect(governor.settled()).toEqual({
    kind: "wrapped-up",
    turns: 3,
    rounds: 1,
    steps: 0,
    maxTurns: 3,
    maxSteps: "unlimited",
    intervened: true,
  });
});

test("an agent that finishes before it was told has completed [RunEndsNaturally]", () => {
  const governor = prompted({ turns: { max: 3, grace: 1 } });
  takeTurns(governor, 2);
  expect(governor.settled()).toMatchObject({ kind: "completed", intervened: false });
});

test("only answered turns bring the wrap-up nearer, not failed ones [WrapUpDelivered] [TurnFails]", () => {
  const governor = prompted({ turns: { max: 3, grace: 2 } });
  governor.beforeTurn();
  governor.turnEnded("failed");
  expect(governor.takeWrapUp()).toBeUndefined();
  expect(decisions(governor, 2)).toEqual(["proceed", "wrap-up"]);
});

test.each([
  [5, 0],
  [5, 5],
  [5, 9],
  [1, 1],
  ["unlimited", 3],
] as const)("a limit of %s with grace %s never tells the model [WrapUpDelivered]", (max, grace) => {
  const governor = prompted({ turns: { max, grace, wrapUp: { grace: () => 2 } } });
  expect(decisions(governor, 6)).not.toContain("wrap-up");
  expect(governor.takeWrapUp()).toBeUndefined();
});

test("at the boundary there is no wrap-up: no turn is going to follow [WrapUpDelivered] [SteeringIsAnswered]", () => {
  const governor = prompted({ turns: 2, canAsk: true });
  takeTurns(governor, 2);
  change(governor, { turns: { grace: 1 } });
  expect(governor.takeWrapUp()).toBeUndefined();
  expect(governor.beforeTurn().kind).toBe("ask");
  expect(governor.takeWrapUp()).toBeUndefined();
});

test("after a yes the model is told again, at its time [ContinuationConfirmed] [WrapUpDelivered]", () => {
  const governor = prompted({ turns: { max: 3, grace: 1 }, canAsk: true });
  expect(decisions(governor, 4)).toEqual(["proceed", "proceed", "wrap-up", "ask"]);
  expect(governor.answer(true).kind).toBe("proceed");
  governor.turnEnded();
  expect(decisions(governor, 3)).toEqual(["proceed", "wrap-up", "ask"]);
});

test("an agent that finishes in a new round before it was told again has completed [RunEndsNaturally] [ContinuationConfirmed]", () => {
  const governor = prompted({ turns: { max: 3, grace: 1 }, canAsk: true });
  decisions(governor, 4);
  governor.answer(true);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "completed", intervened: true });
});

test.each([
  [3, 2],
  [0, 4],
  [-7, 4],
  [99, 1],
  [undefined, 3],
])(
  "a dynamic grace of %s for a limit of 5 is clamped: told after %s turns [WrapUpDelivered]",
  (grace, turns) => {
    const governor = prompted({ turns: { max: 5, grace: 2, wrapUp: { grace: () => grace } } });
    expect(decisions(governor, 5).indexOf("wrap-up")).toBe(turns);
  },
);

test("the message is made when it is sent, and not before [WrapUpDelivered]", () => {
  const message = vi.fn(() => "Finish!");
  const governor = prompted({ turns: { max: 3, grace: 1, wrapUp: { message } } });
  takeTurns(governor, 2);
  expect(message).not.toHaveBeenCalled();
  expect(governor.takeWrapUp()).toBe("Finish!");
});

test("grace and wording can be changed during a run [GraceChanged]", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 3);
  change(governor, { turns: { grace: 2 } });
  change(governor, { turns: { wrapUp: { message: "Now." } } });
  expect(governor.view.settings.turns.grace).toBe(2);
  expect(governor.beforeTurn()).toEqual({ kind: "wrap-up", message: "Now." });
});

test("a limit that comes into force again arms the wrap-up anew, one that only changes does not [LimitReEnabled] [LimitChanged]", () => {
  const governor = prompted({ turns: { max: 3, grace: 1 } });
  decisions(governor, 3);
  change(governor, { turns: 5 });
  expect(decisions(governor, 2)).toEqual(["proceed", "proceed"]);
  change(governor, { turns: "unlimited" });
  change(governor, { turns: 2 });
  expect(decisions(governor, 3)).toEqual(["proceed", "wrap-up", "stop"]);
});

test("a person can have the agent wrap up now, whatever the limit [WrapUpRequested] [WrapUpDeliveredOnRequest]", () => {
  const governor = prompted({ turns: "unlimited" });
  governor.beforeTurn();
  expect(governor.requestWrapUp()).toBe(true);
  governor.turnEnded();
  expect(decisions(governor, 2)).toEqual(["wrap-up", "proceed"]);
});

test("an agent that finishes after a person's wish was told has wrapped up [RunEndsWarned]", () => {
  const governor = prompted({ turns: "unlimited" });
  governor.requestWrapUp();
  decisions(governor, 1);
  expect(governor.settled()).toMatchObject({ kind: "wrapped-up", intervened: true });
});

test("a wish is fulfilled when the model is told, and leaves its mark on the run [WrapUpIsSent]", () => {
  const governor = prompted({ turns: "unlimited" });
  governor.requestWrapUp();
  expect(governor.view).toMatchObject({ wrapUpSent: false, outcome: { intervened: false } });
  governor.beforeTurn();
  expect(governor.view).toMatchObject({ wrapUpSent: true, outcome: { intervened: true } });
  expect(governor.state.run.wrapUpRequested).toBe(false);
});

test("a person's wish and the grace do not add up to two [NotAskedForTwice] [ToldOnlyOncePerRound]", () => {
  const governor = prompted({ turns: { max: 5, grace: 2 } });
  governor.requestWrapUp();
  expect(decisions(governor, 5)).toEqual(["wrap-up", "proceed", "proceed", "proceed", "proceed"]);
  governor.requestWrapUp();
  expect(governor.takeWrapUp()).toBeUndefined();
  change(governor, { turns: 9 });
  expect(decisions(governor, 1)).toEqual(["proceed"]);
});

test("a wish for what the model was told already is not kept for the next round [WrapUpRequested] [ContinuationConfirmed]", () => {
  const governor = prompted({ turns: { max: 2, grace: 1 }, canAsk: true });
  expect(decisions(governor, 2)).toEqual(["proceed", "wrap-up"]);
  governor.requestWrapUp();
  expect(governor.beforeTurn().kind).toBe("ask");
  expect(governor.answer(true).kind).toBe("proceed");
});

test("an agent that takes no further turn after a person's wish has completed [WrapUpRequested] [RunEndsNaturally]", () => {
  const governor = prompted({});
  governor.beforeTurn();
  governor.requestWrapUp();
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "completed", intervened: false });
});

test("a wish from the limit's last turn is kept over the question [WrapUpDeliveredOnRequest]", () => {
  const governor = asking();
  expect(governor.requestWrapUp()).toBe(true);
  expect(governor.answer(true)).toEqual({ kind: "wrap-up", message: DEFAULT_WRAP_UP_MESSAGE });
  governor.turnEnded();
  expect(governor.settled()?.kind).toBe("wrapped-up");
});

test("a wish is kept where the limit is 0, and by a reset [WrapUpDeliveredOnRequest] [CountersReset]", () => {
  const governor = prompted({ turns: 0, canAsk: true });
  governor.requestWrapUp();
  governor.reset();
  expect(governor.takeWrapUp()).toBeUndefined();
  expect(governor.beforeTurn().kind).toBe("ask");
  expect(governor.answer(true).kind).toBe("wrap-up");
});

test("there is nothing to wrap up without a run, nor in one that is ending [WrapUpRequested]", () => {
  expect(createGovernor().requestWrapUp()).toBe(false);
  const declined = asking();
  declined.answer(false);
  expect(declined.requestWrapUp()).toBe(false);
  const salvaging = outOfSteps({ turns: { max: 3, grace: 2 } });
  expect(salvaging.requestWrapUp()).toBe(false);
  expect(salvaging.takeWrapUp()).toBeUndefined();
});

test("nothing is taken of a wrap-up that is due while there is no run, nor in one that is ending or held [SteeringIsAnswered]", () => {
  const governor = prompted({
    turns: { max: 3, grace: 2 },
    tools: { bash: { max: 0, onExhausted: "stop" } },
  });
  takeTurns(governor, 1);
  governor.settled();
  expect([governor.takeWrapUp(), governor.view.wrapUpSent]).toEqual([undefined, false]);
  governor.beforeStep({ tool: "bash" });
  expect([governor.view.status, governor.takeWrapUp()]).toEqual(["ending", undefined]);
  governor.settled();
  expect(governor.beforeTurn().kind).toBe("stop");
});

test("before any prompt, too, the model is told at its time [ProgramContinues] [WrapUpDelivered]", () => {
  const governor = createGovernor({ turns: { max: 3, grace: 1 } });
  expect(decisions(governor, 3)).toEqual(["proceed", "proceed", "wrap-up"]);
});

test("a wish ends with its run [ProgramContinues] [PersonPrompts]", () => {
  const governor = prompted({ turns: 9 });
  governor.beforeTurn();
  governor.requestWrapUp();
  governor.settled();
  expect(decisions(governor, 1)).toEqual(["proceed"]);
  governor.requestWrapUp();
  governor.prompt();
  expect(decisions(governor, 1)).toEqual(["proceed"]);
});

test("a program that goes on in the same round is not told again, and has not wrapped up [ProgramContinues] [ToldOnlyOncePerRound]", () => {
  const governor = prompted({ turns: { max: 4, grace: 2 } });
  expect(decisions(governor, 3)).toEqual(["proceed", "proceed", "wrap-up"]);
  expect(governor.settled()?.kind).toBe("wrapped-up");
  expect(decisions(governor, 1)).toEqual(["proceed"]);
  expect(governor.settled()).toMatchObject({ kind: "completed", intervened: false });
});

/** A message that cannot be made until it is said to. */
function moody(): { message: () => string; works: boolean } {
  const mood = {
    works: false,
    message: () => {
      if (mood.works) return "Finish!";
      throw new Error("not now");
    },
  };
  return mood;
}

test("a message that cannot be made is not lost: no turn was counted, and the next beforeTurn tells it [WrapUpDelivered]", () => {
  const mood = moody();
  const governor = prompted({ turns: { max: 3, grace: 1, wrapUp: { message: mood.message } } });
  takeTurns(governor, 2);
  const before = governor.state;
  expect(() => governor.beforeTurn()).toThrow("not now");
  expect(() => governor.takeWrapUp()).toThrow("not now");
  expect(governor.state).toEqual(before);
  mood.works = true;
  expect(governor.beforeTurn()).toEqual({ kind: "wrap-up", message: "Finish!" });
  expect(used(governor, "turns")).toBe(3);
});

test("a message that cannot be made when a person wants it leaves the question open [HeldTurnWrapsUp]", () => {
  const mood = moody();
  const governor = prompted({ turns: { max: 2, wrapUp: { message: mood.message } }, canAsk: true });
  takeTurns(governor);
  expect(() => governor.answer("wrap-up")).toThrow("not now");
  expect(governor.view).toMatchObject({ status: "asking", question: { id: 1 }, totals: { turns: 2 } });
  mood.works = true;
  expect(governor.answer("wrap-up")).toEqual({ kind: "wrap-up", message: "Finish!" });
});

test("a message that cannot be made after a yes is told by the next beforeTurn [WrapUpDeliveredOnRequest]", () => {
  const mood = moody();
  const governor = prompted({ turns: { max: 2, wrapUp: { message: mood.message } }, canAsk: true });
  takeTurns(governor);
  governor.requestWrapUp();
  expect(() => governor.answer(true)).toThrow("not now");
  expect(governor.view.totals.turns).toBe(2);
  mood.works = true;
  expect(governor.beforeTurn()).toEqual({ kind: "wrap-up", message: "Finish!" });
});

test.each([undefined, null, 5])("a message of %s is an error, and not lost [WrapUpDelivered]", (message) => {
  const wrapUp = { message: () => message as unknown as string };
  const governor = prompted({ turns: { max: 2, grace: 1, wrapUp } });
  takeTurns(governor, 1);
  expect(() => governor.beforeTurn()).toThrow(/^turns\.wrapUp\.message must be a text/);
  change(governor, { turns: { wrapUp: {} } });
  expect(governor.beforeTurn()).toEqual({ kind: "wrap-up", message: DEFAULT_WRAP_UP_MESSAGE });
});

test("a host that polls gets the message once, and none at a boundary; the run is one that a limit intervened in [SteeringIsAnswered] [WrapUpIsSent]", () => {
  const governor = prompted({ turns: { max: 3, grace: 1 }, canAsk: true });
  const polled = [1, 2, 3, 4].map(() => {
    const messages = [governor.takeWrapUp(), governor.takeWrapUp()];
    if (governor.beforeTurn().kind === "proceed") governor.turnEnded();
    return messages;
  });
  const none = [undefined, undefined];
  expect(polled).toEqual([none, none, [DEFAULT_WRAP_UP_MESSAGE, undefined], none]);
  expect(governor.view.outcome).toMatchObject({ intervened: true });
  expect(governor.view.wrapUpSent).toBe(true);
});
