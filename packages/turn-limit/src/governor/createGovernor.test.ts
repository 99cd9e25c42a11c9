import { expect, test } from "vitest";
import { InvalidLimit } from "../errors/InvalidLimit.ts";
import { createGovernor, type Governor, type GovernorOptions } from "./createGovernor.ts";

/** A governor whose run a person has just prompted. */
function prompted(options: GovernorOptions): Governor {
  const governor = createGovernor(options);
  governor.prompt();
  return governor;
}

/** Takes turns, each of them answered, until one may not begin or `count` are done. Returns how many began. */
function takeTurns(governor: Governor, count = 1_000): number {
  for (let turn = 0; turn < count; turn += 1) {
    if (governor.beforeTurn().kind !== "proceed") return turn;
    governor.turnEnded();
  }
  return count;
}

/** A governor whose run is held at the question, 2 of 2 turns used. */
function asking(): Governor {
  const governor = prompted({ turns: 2, canAsk: true });
  takeTurns(governor);
  return governor;
}

test("nothing said means 25 turns and nobody to ask [SessionOpens]", () => {
  const governor = createGovernor();
  expect(governor.status).toBe("idle");
  expect(governor.maxTurns).toBe(25);
  expect(governor.turnsUsed).toBe(0);
  governor.prompt();
  expect(takeTurns(governor)).toBe(25);
  expect(governor.beforeTurn().kind).toBe("stop");
});

test("a limit that is none is refused [LimitIsNotNegative]", () => {
  expect(() => createGovernor({ turns: -1 })).toThrow(InvalidLimit);
  expect(() => createGovernor({ turns: 2.5 })).toThrow(InvalidLimit);
});

test("a limit of 5 lets 5 turns begin and holds the 6th for a question [TurnAdmitted] [TurnLimitReached]", () => {
  const governor = prompted({ turns: 5, canAsk: true });
  expect(takeTurns(governor)).toBe(5);
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "turns", used: 5, max: 5 });
  expect(governor.status).toBe("asking");
  expect(governor.turnsUsed).toBe(5);
});

test("where nobody can be asked the run is stopped without a question [TurnLimitReachedHeadless] [HeadlessNeverWaits]", () => {
  const governor = prompted({ turns: 5 });
  expect(takeTurns(governor)).toBe(5);
  expect(governor.beforeTurn()).toEqual({
    kind: "stop",
    outcome: "stopped",
    limit: "turns",
    used: 5,
    max: 5,
  });
  expect(governor.status).toBe("ending");
});

test("an agent that finishes by itself on its last turn did not hit the limit [RunEndsNaturally]", () => {
  const governor = prompted({ turns: 5, canAsk: true });
  takeTurns(governor, 5);
  expect(governor.settled()).toEqual({
    kind: "completed",
    turns: 5,
    rounds: 1,
    maxTurns: 5,
    touched: false,
  });
});

test("a limit of 0 asks before every turn, the first included [TurnLimitReached] [ContinuationConfirmed]", () => {
  const governor = prompted({ turns: 0, canAsk: true });
  for (let turn = 0; turn < 3; turn += 1) {
    expect(governor.beforeTurn().kind).toBe("ask");
    expect(governor.answer(true).kind).toBe("proceed");
    governor.turnEnded();
  }
  expect(governor.settled()).toMatchObject({ turns: 3, rounds: 3 });
});

test("a limit of 0 stops before the first turn where nobody can be asked [TurnLimitReachedHeadless]", () => {
  const governor = prompted({ turns: 0 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", used: 0, max: 0 });
});

test("without a limit every turn begins, and is counted [TurnAdmittedUnlimited] [UnlimitedNeverAsks]", () => {
  const governor = prompted({ turns: "unlimited", canAsk: true });
  expect(takeTurns(governor, 1_000)).toBe(1_000);
  expect(governor.turnsUsed).toBe(1_000);
});

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
    maxTurns: 2,
    touched: true,
  });
});

test("a run stopped without a question was stopped, and by which limit is told [RunEndsStopped]", () => {
  const governor = prompted({ turns: 2 });
  takeTurns(governor);
  expect(governor.settled()).toEqual({
    kind: "stopped",
    limit: "turns",
    turns: 2,
    rounds: 1,
    maxTurns: 2,
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

test("after a stop, no turn begins until the run has settled [TurnLimitReachedHeadless]", () => {
  const governor = prompted({ turns: 1 });
  takeTurns(governor);
  governor.maxTurns = 100;
  expect(takeTurns(governor)).toBe(0);
  governor.settled();
  expect(governor.stop).toBeNull();
});

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

test("a failed request that is made again is the same turn [TurnFails] [TurnRetried]", () => {
  const governor = prompted({ turns: 2 });
  governor.beforeTurn();
  for (let failure = 0; failure < 5; failure += 1) {
    governor.turnEnded("failed");
    expect(governor.beforeTurn()).toEqual({ kind: "proceed" });
    expect(governor.turnsUsed).toBe(1);
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

test("a failed turn is not completed until its retry is answered [TurnFails] [TurnCompletes] [CompletedWithinStarted]", () => {
  const governor = prompted({ turns: 5 });
  governor.beforeTurn();
  governor.turnEnded("failed");
  expect(governor.state.turns).toMatchObject({ used: 1, completed: 0 });
  governor.beforeTurn();
  governor.turnEnded();
  expect(governor.state.turns).toMatchObject({ used: 1, completed: 1 });
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

test("a run whose last request failed for good has failed [RunFails]", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 1);
  governor.beforeTurn();
  governor.turnEnded("failed");
  expect(governor.settled()).toMatchObject({ kind: "failed", turns: 2, touched: false });
});

test("an answer thrown away and asked for again is the same turn [AnswerDiscarded] [TurnRetried]", () => {
  const governor = prompted({ turns: 2 });
  takeTurns(governor, 2);
  governor.turnDiscarded();
  expect(governor.state.turns).toMatchObject({ used: 2, completed: 1 });
  expect(governor.beforeTurn().kind).toBe("proceed");
  governor.turnEnded();
  expect(governor.state.turns).toMatchObject({ used: 2, completed: 2 });
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
    maxTurns: 5,
    touched: false,
  });
});

test("a turn after an aborted one is a new turn [TurnCancelled] [TurnAdmitted]", () => {
  const governor = prompted({ turns: 5 });
  governor.beforeTurn();
  governor.turnEnded("aborted");
  expect(takeTurns(governor)).toBe(4);
});

test("a run aborted while the question was open was aborted, not declined [RunEndsUnanswered]", () => {
  const governor = asking();
  expect(governor.settled()).toEqual({
    kind: "aborted",
    turns: 2,
    rounds: 1,
    maxTurns: 2,
    touched: true,
  });
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
  const governor = asking();
  governor.answer(false);
  governor.settled();
  expect(governor.exhausted).toBe(false);
  expect(governor.beforeTurn().kind).toBe("ask");
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

test("a limit that still does not cover the held turn leaves the question open [QuestionOvertaken] [AskedOnlyAtTheBoundary]", () => {
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

test("asking twice about the held turn is the same question [TurnLimitReached] [NothingRunsWhileAsking]", () => {
  const governor = asking();
  const before = governor.state;
  expect(governor.beforeTurn()).toEqual(governor.beforeTurn());
  expect(governor.state).toEqual(before);
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

test("a question or a stop leaves its mark on the outcome, even if the run completes [LimitLeavesItsMark]", () => {
  const governor = asking();
  governor.answer(true);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ kind: "completed", touched: true });
});

test("events that come after the run has settled change nothing", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 2);
  governor.settled();
  const before = governor.state;

  governor.turnEnded();
  governor.turnEnded("failed");
  governor.turnEnded("aborted");
  governor.turnDiscarded();
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

test("an answer that comes after the abort does not undo it [RunAborted]", () => {
  const governor = prompted({ turns: 5 });
  governor.beforeTurn();
  governor.turnEnded("aborted");
  governor.turnEnded();
  expect(governor.settled()?.kind).toBe("aborted");
});

test("a second yes to the same question begins no second turn [ContinuationConfirmed]", () => {
  const governor = asking();
  governor.answer(true);
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(governor.turnsUsed).toBe(1);
});

test("before any prompt there is no run to settle", () => {
  expect(createGovernor().settled()).toBeUndefined();
});

const SCENES: Record<string, (governor: Governor) => void> = {
  "before the first prompt": () => {},
  "with a turn under way": (governor) => {
    governor.prompt();
    governor.beforeTurn();
  },
  "between a failure and its retry": (governor) => {
    governor.prompt();
    governor.beforeTurn();
    governor.turnEnded("failed");
  },
  "with the question open": (governor) => {
    governor.prompt();
    takeTurns(governor);
  },
  "while being stopped": (governor) => {
    governor.prompt();
    takeTurns(governor);
    governor.answer(false);
  },
  "between two runs": (governor) => {
    governor.prompt();
    takeTurns(governor, 1);
    governor.settled();
  },
};

test.each(Object.entries(SCENES))(
  "a governor saved %s goes on as if it had never been saved",
  (_name, scene) => {
    const governor = createGovernor({ turns: 2, canAsk: true });
    scene(governor);
    const restored = createGovernor({ canAsk: true, state: JSON.parse(JSON.stringify(governor.state)) });

    expect(restored.state).toEqual(governor.state);
    expect(whatFollows(restored)).toEqual(whatFollows(governor));
  },
);

test("the same events give the same decisions", () => {
  const life = () => {
    const governor = createGovernor({ turns: 2, canAsk: true });
    return Object.values(SCENES).map((scene) => {
      scene(governor);
      return [whatFollows(governor), governor.state];
    });
  };
  expect(life()).toEqual(life());
});

test("what was saved is not changed by what happens afterwards", () => {
  const governor = asking();
  const saved = governor.state;
  const copy = structuredClone(saved);
  whatFollows(governor);
  whatFollows(createGovernor({ state: saved }));
  expect(saved).toEqual(copy);
});

test("a question that is taken up where nobody can be asked is a stop [HeadlessNeverWaits]", () => {
  const headless = createGovernor({ state: asking().state });
  expect(headless.beforeTurn()).toMatchObject({ kind: "stop", outcome: "stopped" });
});

test("a saved limit wins over the one a governor is made with", () => {
  expect(createGovernor({ turns: 99, state: asking().state }).maxTurns).toBe(2);
});

/** Everything a host gets to see from here on, until the run has settled and one more has been lived through. */
function whatFollows(governor: Governor): unknown[] {
  const seen: unknown[] = [governor.beforeTurn(), governor.answer(true)];
  governor.turnEnded();
  for (let turn = 0; turn < 4; turn += 1) {
    seen.push(governor.beforeTurn(), governor.turnsUsed);
    governor.turnEnded(turn === 1 ? "failed" : undefined);
  }
  seen.push(governor.answer(false), governor.settled());
  governor.prompt();
  seen.push(takeTurns(governor), governor.exhausted, governor.settled());
  return seen;
}
