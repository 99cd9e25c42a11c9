import { expect, test } from "vitest";
import { createGovernor, type Governor, type GovernorOptions } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { change, prompted, promptedAtZero, used } from "../helpers/runs.ts";

// One example for each rule of the specification about limits; what else there is to them is in the files about each.

/** A turn whose answer took this many tokens, and a dollar for each. */
function turnOf(governor: Governor, tokens: number): string {
  const { kind } = governor.beforeTurn();
  governor.turnEnded({ usage: { input: tokens, output: 0, cost: tokens } });
  return kind;
}

/** A governor whose first turn took all 10 tokens. */
function outOfTokens(options: Omit<GovernorOptions, "tokens">, policy: object = {}): Governor {
  const governor = prompted({ ...options, tokens: { max: 10, ...policy } });
  turnOf(governor, 10);
  return governor;
}

/** A governor in the middle of a turn that has taken all 10 milliseconds. */
function outOfTime(options: Omit<GovernorOptions, "time">, policy: object = {}): Governor {
  const governor = promptedAtZero({ ...options, time: { max: 10, ...policy } });
  governor.beforeTurn();
  governor.timeIs(10);
  return governor;
}

/** A governor in whose first turn the one call of `read` was made that there may be. */
function outOfReads(options: Omit<GovernorOptions, "tools">, policy: object = {}): Governor {
  const governor = prompted({ ...options, tools: { read: { max: 1, ...policy } } });
  governor.beforeTurn();
  governor.beforeStep({ tool: "read" });
  return governor;
}

test("a budget that nobody limits is none [BudgetOpens]", () => {
  const { standings } = createGovernor({ turns: 3 }).view;
  expect(standings).toEqual([{ ...named("turns"), used: 0, max: 3 }]);
});

test("a budget that is used up asks before the next turn [LimitReached]", () => {
  const governor = outOfTokens({ canAsk: true });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), used: 10, max: 10 });
});

test("a held turn that is wanted once more is asked about once more, as things are by then [HeldTurnAskedAgain]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  governor.spend("compaction", { input: 1, output: 1 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), used: 12, max: 10 });
});

test("a no to a budget stands when a program goes on [DeclineStands]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  governor.answer(false);
  governor.settled();
  expect(governor.beforeTurn()).toMatchObject({
    kind: "stop",
    outcome: "declined",
    raises: false,
    ...named("tokens"),
  });
});

test("a budget can stop the run without a question [LimitStops]", () => {
  const governor = outOfTokens({ canAsk: true }, { onExhausted: "stop" });
  expect(governor.beforeTurn()).toMatchObject({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("tokens"),
  });
});

test("where nobody can be asked, a budget stops the run [LimitStops]", () => {
  const governor = outOfTokens({ canAsk: false });
  expect(governor.beforeTurn()).toMatchObject({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("tokens"),
  });
});

test("a budget can end the run with an answer made without tools [LimitSynthesizes]", () => {
  const governor = outOfTokens({ canAsk: true }, { onExhausted: "synthesize" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "tokens" });
});

test("where nobody can be asked, a budget can lead to an answer made without tools [LimitSynthesizes]", () => {
  const governor = outOfTokens({ canAsk: false }, { headless: "synthesize" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "tokens" });
});

test("a run that took no turn has nothing to answer from [NothingToSynthesize]", () => {
  const governor = outOfTokens({ canAsk: true }, { onExhausted: "synthesize" });
  governor.settled();
  expect(governor.beforeTurn()).toMatchObject({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("tokens"),
  });
});

test("a budget that stops comes before a turn limit that asks [BoundaryBeforeTurn] [LimitStops]", () => {
  const governor = outOfTokens({ turns: 1, canAsk: true }, { onExhausted: "stop" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "tokens" });
});

test("an answer without tools comes before a turn limit that asks [BoundaryBeforeTurn] [LimitSynthesizes]", () => {
  const governor = outOfTokens({ turns: 1, canAsk: true }, { onExhausted: "synthesize" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "tokens" });
});

test("a model without a price is noticed, and the run goes on [UnpricedModelNoticed]", () => {
  const governor = prompted({ cost: 5 });
  governor.beforeTurn();
  governor.turnEnded({ usage: { input: 1, output: 1 } });
  expect(governor.view.unpriced).toBe(true);
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test("a model without a price can stop the run [UnpricedModelStops]", () => {
  const governor = prompted({ cost: { max: 5, unpriced: "stop" }, canAsk: true });
  expect(governor.beforeTurn({ priced: false })).toMatchObject({
    kind: "stop",
    ...named("cost"),
    unpriced: true,
  });
});

test("a token limit stands in for a price that nobody knows, if there is one [UnpricedModelNoticed] [UnpricedModelStops]", () => {
  const governor = prompted({ cost: { max: 5, unpriced: "tokens" }, tokens: 10 });
  expect(governor.beforeTurn({ priced: false }).kind).toBe("proceed");
  change(governor, { tokens: "unlimited" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", ...named("cost"), unpriced: true });
});

test("a person can go on with another amount, for one round [ContinuationWithMore]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  governor.answer({ more: 3 });
  governor.turnEnded({ usage: { input: 3, output: 0 } });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), used: 3, max: 3 });
  governor.answer(true);
  expect(governor.view.standings).toContainEqual({ ...named("tokens"), used: 0, max: 10 });
});

test("a person can go on without the limit until the next prompt [ContinuationUnlimited]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  governor.answer("unlimited");
  governor.turnEnded({ usage: { input: 100, output: 0 } });
  expect(governor.beforeTurn().kind).toBe("proceed");
  governor.prompt();
  expect(governor.view.standings).toContainEqual({ ...named("tokens"), used: 0, max: 10 });
});

test("a yes starts over every limit that is used up and asks, and no other [RoundStartsOver]", () => {
  const governor = outOfTokens({ turns: 9, cost: 10, canAsk: true, tools: { read: 1, bash: 2 } });
  for (const tool of ["read", "bash"]) governor.beforeStep({ tool });
  governor.beforeTurn();
  governor.answer(true);
  const rounds = ["turns", "tokens", "cost", "tools.read", "tools.bash"].map((limit) =>
    used(governor, limit),
  );
  expect(rounds).toEqual([2, 0, 0, 0, 1]);
});

test("a retry that a budget held is not counted twice [RetryConfirmed]", () => {
  const governor = prompted({ tokens: 10, canAsk: true });
  governor.beforeTurn();
  governor.turnEnded({ failure: "failed", usage: { input: 10, output: 0 } });
  expect(governor.beforeTurn().kind).toBe("ask");
  expect(governor.answer(true).kind).toBe("proceed");
  expect(used(governor, "turns")).toBe(1);
});

test("a person can have the held turn be for wrapping up [HeldTurnWrapsUp]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  expect(governor.answer("wrap-up").kind).toBe("wrap-up");
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("ask");
});

test("what answers, retries, compactions and tool calls spend counts [SpendingCounts]", () => {
  const governor = prompted({ tokens: 100 });
  governor.beforeTurn();
  governor.turnEnded({ failure: "failed", usage: { input: 1, output: 0 } });
  turnOf(governor, 2);
  governor.spend("compaction", { input: 4, output: 0 });
  governor.spend("nested", { input: 8, output: 0 });
  expect(used(governor, "tokens")).toBe(15);
  expect(used(governor, "turns")).toBe(1);
});

test("a reserve has the model told to wrap up before the budget is used up [ReserveTellsToWrapUp]", () => {
  const governor = prompted({ tokens: { max: 10, reserve: 4 }, canAsk: true });
  expect([turnOf(governor, 5), turnOf(governor, 1), turnOf(governor, 1)]).toEqual([
    "proceed",
    "proceed",
    "wrap-up",
  ]);
});

test("time counts from the prompt on [TimeCounts]", () => {
  const governor = promptedAtZero({ time: 100 });
  governor.beforeTurn();
  governor.timeIs(30);
  expect(used(governor, "time")).toBe(30);
  expect(governor.view.timeLeft).toBe(70);
});

test("the time in which a person is asked does not count [WaitingIsFree]", () => {
  const governor = promptedAtZero({ turns: 0, time: 100, canAsk: true });
  governor.beforeTurn();
  governor.timeIs(30);
  expect(used(governor, "time")).toBe(0);
});

test("the time in which a person is waited for in another matter does not count [WaitingReported] [WaitingIsFree]", () => {
  const governor = promptedAtZero({ time: 100 });
  governor.beforeTurn();
  governor.waiting(true);
  governor.timeIs(30);
  governor.waiting(false);
  governor.timeIs(40);
  expect(used(governor, "time")).toBe(10);
});

test("when the time is up in the middle of a turn, a person is asked while it goes on [TimeUpAsks]", () => {
  const governor = outOfTime({ canAsk: true });
  expect(governor.overdue()).toMatchObject({ kind: "ask", ...named("time"), used: 10, max: 10 });
  expect(governor.beforeStep().kind).toBe("proceed");
});

test("a yes in the middle of a turn starts the time over [TimeGoesOn] [RoundStartsOver]", () => {
  const governor = outOfTime({ canAsk: true });
  governor.overdue();
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(governor.view.timeLeft).toBe(10);
});

test("a no in the middle of a turn ends it [ContinuationDeclined]", () => {
  const governor = outOfTime({ canAsk: true });
  governor.overdue();
  expect(governor.answer(false)).toMatchObject({
    kind: "stop",
    outcome: "declined",
    raises: false,
    ...named("time"),
  });
});

test("a person can have the model wrap up after the turn whose time is up [TimeQuestionWrapsUp]", () => {
  const governor = outOfTime({ canAsk: true });
  governor.overdue();
  expect(governor.answer("wrap-up")).toEqual({ kind: "proceed" });
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("wrap-up");
});

test("a time limit raised while it is asked about withdraws the question [QuestionOvertaken]", () => {
  const governor = outOfTime({ canAsk: true });
  governor.overdue();
  change(governor, { time: 20 });
  expect(governor.view.question).toBeNull();
  expect(governor.view.timeLeft).toBe(10);
});

test("a no stands when the time of a program's run is up [TimeUpDeclineStands]", () => {
  const governor = outOfTime({ canAsk: true });
  governor.overdue();
  governor.answer(false);
  governor.settled();
  governor.beforeStep();
  expect(governor.overdue()).toMatchObject({
    kind: "stop",
    outcome: "declined",
    raises: false,
    ...named("time"),
  });
});

test("when the time is up and nobody can be asked, the run is stopped at once [TimeUpStops]", () => {
  const governor = outOfTime({ canAsk: false });
  expect(governor.overdue()).toMatchObject({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("time"),
  });
});

test("a turn whose time is up can be cut off for an answer made without tools [TimeUpSynthesizes]", () => {
  const governor = outOfTime({}, { onExhausted: "synthesize" });
  expect(governor.overdue()).toMatchObject({ kind: "synthesize", limit: "time" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "time" });
});

test("a tools-free turn that another limit made due has no more time than there is [TimeUpEndsSynthesis]", () => {
  const governor = promptedAtZero({ time: 10, tokens: { max: 1, onExhausted: "synthesize" }, canAsk: true });
  turnOf(governor, 1);
  governor.beforeTurn();
  governor.timeIs(10);
  expect(governor.overdue()).toMatchObject({
    kind: "stop",
    outcome: "stopped",
    raises: false,
    ...named("time"),
  });
});

test("a call that the budget of its tool does not cover is refused, and before the next turn there is the question [CallRefused]", () => {
  const governor = outOfReads({ canAsk: true });
  expect(governor.beforeStep({ tool: "read" })).toMatchObject({ kind: "refuse", limit: "tools.read" });
  expect(governor.beforeStep({ tool: "write" }).kind).toBe("proceed");
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tools.read"), used: 1, max: 1 });
});

test("a no stands when a program calls the tool again [CallDeclineStands]", () => {
  const governor = outOfReads({ canAsk: true });
  governor.beforeStep({ tool: "read" });
  governor.beforeTurn();
  governor.answer(false);
  governor.settled();
  governor.beforeStep({ tool: "read" });
  expect(governor.view.stop).toMatchObject({ outcome: "declined", limit: "tools.read" });
});

test("the budget of a tool can stop the run [CallStops]", () => {
  const governor = outOfReads({ canAsk: true }, { onExhausted: "stop" });
  expect(governor.beforeStep({ tool: "read" }).kind).toBe("refuse");
  expect(governor.view.stop).toMatchObject({ outcome: "stopped", limit: "tools.read" });
});

test("the budget of a tool can lead to an answer made without tools [CallSynthesizes]", () => {
  const governor = outOfReads({}, { onExhausted: "synthesize" });
  expect(governor.beforeStep({ tool: "read" }).kind).toBe("synthesize");
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "tools.read" });
});

test("the same call once more is refused, and in a later turn it is the boundary [RepeatRefused] [CallStops]", () => {
  const governor = prompted({ repeats: 2 });
  const reasons = [1, 2, 3, 4].map(() => {
    governor.beforeTurn();
    const decision = governor.beforeStep({ tool: "read", args: { path: "a" } });
    governor.stepEnded({ result: "b" });
    governor.turnEnded();
    return decision.kind;
  });
  expect(reasons).toEqual(["proceed", "proceed", "refuse", "refuse"]);
  expect(governor.view.stop).toMatchObject({ outcome: "stopped", ...named("repeats"), used: 2, max: 2 });
});

test("a budget that is changed keeps what is used [LimitChanged]", () => {
  const governor = outOfTokens({});
  change(governor, { tokens: 20 });
  expect(governor.view.standings).toContainEqual({ ...named("tokens"), used: 10, max: 20 });
});

test("a budget that there was not before starts at zero [LimitReEnabled]", () => {
  const governor = outOfTokens({});
  change(governor, { tokens: "unlimited" });
  turnOf(governor, 5);
  change(governor, { tokens: 10 });
  expect(governor.view.standings).toContainEqual({ ...named("tokens"), used: 0, max: 10 });
});

test("a budget that is removed lets the held turn begin [LimitRemoved]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  change(governor, { tokens: "unlimited" });
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test("the same settings once more take back no no to a budget [SameSettingsChangeNothing]", () => {
  const governor = outOfTokens({ turns: "unlimited", canAsk: true });
  governor.beforeTurn();
  governor.answer(false);
  governor.settled();
  change(governor, { turns: "unlimited" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "declined", limit: "tokens" });
});

test("a request that was admitted is none too many [WorkAccounted]", () => {
  const governor = prompted({ turns: 1 });
  governor.beforeTurn();
  expect(governor.requestSent()).toBeUndefined();
});

test("a request that was not admitted ends the run at once [WorkOverruns] [RunEndsAsDecided]", () => {
  const governor = prompted({ turns: 1 });
  governor.beforeTurn();
  governor.requestSent();
  expect(governor.requestSent()).toMatchObject({ kind: "stop", outcome: "limit-overrun", limit: "turns" });
  expect(governor.settled()?.kind).toBe("limit-overrun");
});

test("a call that was permitted is none too many [WorkAccounted]", () => {
  const governor = prompted({ steps: 1 });
  governor.beforeTurn();
  governor.beforeStep();
  expect(governor.stepExecuted()).toBeUndefined();
});

test("a call that was not permitted ends the run at once [WorkOverruns]", () => {
  const governor = prompted({ steps: 1 });
  governor.beforeTurn();
  expect(governor.stepExecuted()).toMatchObject({ kind: "stop", outcome: "limit-overrun", limit: "steps" });
});
