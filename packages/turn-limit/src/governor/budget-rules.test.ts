import { expect, test } from "vitest";
import { prompted } from "../../test/runs.ts";
import { createGovernor } from "./createGovernor.ts";
import type { Governor } from "./Governor.ts";
import type { GovernorOptions } from "./GovernorOptions.ts";

// One example for each rule of turn-limit.allium about budgets; what else there is to them is in the files about each.

/** A governor whose run a person has just prompted, at 0 milliseconds. */
function timed(options: GovernorOptions): Governor {
  const governor = createGovernor(options);
  governor.timeIs(0);
  governor.prompt();
  return governor;
}

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
  const governor = timed({ ...options, time: { max: 10, ...policy } });
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

function usedOf(governor: Governor, limit: string): number | undefined {
  return governor.standings.find((standing) => standing.limit === limit)?.used;
}

test("a budget that nobody limits is none [BudgetOpens]", () => {
  const { standings } = createGovernor({ turns: 3 });
  expect(standings).toEqual([{ limit: "turns", used: 0, max: 3 }]);
});

test("a budget that is used up asks before the next turn [BudgetReached]", () => {
  const governor = outOfTokens({ canAsk: true });
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "tokens", used: 10, max: 10 });
});

test("a held turn that is wanted once more is asked about once more, as things are by then [HeldTurnAskedAgain]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  governor.spend("compaction", { input: 1, output: 1 });
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "tokens", used: 12, max: 10 });
});

test("a no to a budget stands when a program goes on [BudgetDeclineStands]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  governor.answer(false);
  governor.settled();
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "declined", limit: "tokens" });
});

test("a budget can stop the run without a question [BudgetStops]", () => {
  const governor = outOfTokens({ canAsk: true }, { onExhausted: "stop" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "stopped", limit: "tokens" });
});

test("where nobody can be asked, a budget stops the run [BudgetReachedHeadless]", () => {
  const governor = outOfTokens({ canAsk: false });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "stopped", limit: "tokens" });
});

test("a budget can end the run with an answer made without tools [BudgetSynthesizes]", () => {
  const governor = outOfTokens({ canAsk: true }, { onExhausted: "synthesize" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "tokens" });
});

test("where nobody can be asked, a budget can lead to an answer made without tools [BudgetSynthesizesHeadless]", () => {
  const governor = outOfTokens({ canAsk: false }, { headless: "synthesize" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "tokens" });
});

test("a run that took no turn has nothing to answer from [BudgetLeavesNothingToTell]", () => {
  const governor = outOfTokens({ canAsk: true }, { onExhausted: "synthesize" });
  governor.settled();
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "stopped", limit: "tokens" });
});

test("a budget that stops comes before a turn limit that asks [StricterBudgetStops]", () => {
  const governor = outOfTokens({ turns: 1, canAsk: true }, { onExhausted: "stop" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "tokens" });
});

test("an answer without tools comes before a turn limit that asks [StricterBudgetSynthesizes]", () => {
  const governor = outOfTokens({ turns: 1, canAsk: true }, { onExhausted: "synthesize" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "tokens" });
});

test("a model without a price is noticed, and the run goes on [UnpricedModelNoticed]", () => {
  const governor = prompted({ cost: 5 });
  governor.beforeTurn();
  governor.turnEnded({ usage: { input: 1, output: 1 } });
  expect(governor.unpriced).toBe(true);
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test("a model without a price can stop the run [UnpricedModelStops]", () => {
  const governor = prompted({ cost: { max: 5, unpriced: "stop" }, canAsk: true });
  governor.priceUnknown();
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "cost", unpriced: true });
});

test("a token limit stands in for a price that nobody knows, if there is one [UnpricedModelNoticed] [UnpricedModelStops]", () => {
  const governor = prompted({ cost: { max: 5, unpriced: "tokens" }, tokens: 10 });
  governor.priceUnknown();
  expect(governor.beforeTurn().kind).toBe("proceed");
  governor.setBudgets({ tokens: "unlimited" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "cost", unpriced: true });
});

test("a person can go on with another amount, for one round [ContinuationWithMore]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  governor.answer({ more: 3 });
  governor.turnEnded({ usage: { input: 3, output: 0 } });
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "tokens", used: 3, max: 3 });
  governor.answer(true);
  expect(governor.standings).toContainEqual({ limit: "tokens", used: 0, max: 10 });
});

test("a person can go on without the limit until the next prompt [ContinuationUnlimited]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  governor.answer("unlimited");
  governor.turnEnded({ usage: { input: 100, output: 0 } });
  expect(governor.beforeTurn().kind).toBe("proceed");
  governor.prompt();
  expect(governor.standings).toContainEqual({ limit: "tokens", used: 0, max: 10 });
});

test("a yes starts over every limit at its boundary that asks, and no other [RoundStartsOver]", () => {
  const governor = outOfTokens({ turns: 9, cost: 10, canAsk: true, tools: { read: 1 } });
  governor.beforeStep({ tool: "read" });
  governor.beforeTurn();
  governor.answer(true);
  const used = ["turns", "tokens", "cost", "tools.read"].map((limit) => usedOf(governor, limit));
  expect(used).toEqual([2, 0, 0, 1]);
});

test("a retry that a budget held is not counted twice [RetryConfirmed]", () => {
  const governor = prompted({ tokens: 10, canAsk: true });
  governor.beforeTurn();
  governor.turnEnded({ mishap: "failed", usage: { input: 10, output: 0 } });
  expect(governor.beforeTurn().kind).toBe("ask");
  expect(governor.answer(true).kind).toBe("proceed");
  expect(governor.turnsUsed).toBe(1);
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
  governor.turnEnded({ mishap: "failed", usage: { input: 1, output: 0 } });
  turnOf(governor, 2);
  governor.spend("compaction", { input: 4, output: 0 });
  governor.spend("nested", { input: 8, output: 0 });
  expect(usedOf(governor, "tokens")).toBe(15);
  expect(governor.turnsUsed).toBe(1);
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
  const governor = timed({ time: 100 });
  governor.beforeTurn();
  governor.timeIs(30);
  expect(usedOf(governor, "time")).toBe(30);
  expect(governor.timeLeft).toBe(70);
});

test("the time in which a person is asked does not count [WaitingIsFree]", () => {
  const governor = timed({ turns: 0, time: 100, canAsk: true });
  governor.beforeTurn();
  governor.timeIs(30);
  expect(usedOf(governor, "time")).toBe(0);
});

test("the time in which a person is waited for in another matter does not count [WaitingReported] [WaitingIsFree]", () => {
  const governor = timed({ time: 100 });
  governor.beforeTurn();
  governor.waiting = true;
  governor.timeIs(30);
  governor.waiting = false;
  governor.timeIs(40);
  expect(usedOf(governor, "time")).toBe(10);
});

test("when the time is up in the middle of a turn, a person is asked while it goes on [TimeUpAsks]", () => {
  const governor = outOfTime({ canAsk: true });
  expect(governor.overdue()).toEqual({ kind: "ask", limit: "time", used: 10, max: 10 });
  expect(governor.beforeStep().kind).toBe("proceed");
});

test("a yes in the middle of a turn starts the time over [TimeGoesOn] [RoundStartsOver]", () => {
  const governor = outOfTime({ canAsk: true });
  governor.overdue();
  expect(governor.answer(true)).toEqual({ kind: "proceed" });
  expect(governor.timeLeft).toBe(10);
});

test("a no in the middle of a turn ends it [TimeQuestionDeclined]", () => {
  const governor = outOfTime({ canAsk: true });
  governor.overdue();
  expect(governor.answer(false)).toMatchObject({ kind: "stop", outcome: "declined", limit: "time" });
});

test("a person can have the model wrap up after the turn whose time is up [TimeQuestionWrapsUp]", () => {
  const governor = outOfTime({ canAsk: true });
  governor.overdue();
  expect(governor.answer("wrap-up")).toEqual({ kind: "proceed" });
  governor.turnEnded();
  expect(governor.beforeTurn().kind).toBe("wrap-up");
});

test("a time limit raised while it is asked about withdraws the question [TimeQuestionOvertaken]", () => {
  const governor = outOfTime({ canAsk: true });
  governor.overdue();
  governor.setBudgets({ time: 20 });
  expect(governor.state.question).toBeNull();
  expect(governor.timeLeft).toBe(10);
});

test("a no stands when the time of a program's run is up [TimeUpDeclineStands]", () => {
  const governor = outOfTime({ canAsk: true });
  governor.overdue();
  governor.answer(false);
  governor.settled();
  governor.beforeStep();
  expect(governor.overdue()).toMatchObject({ kind: "stop", outcome: "declined", limit: "time" });
});

test("when the time is up and nobody can be asked, the run is stopped at once [TimeUpStops]", () => {
  const governor = outOfTime({ canAsk: false });
  expect(governor.overdue()).toMatchObject({ kind: "stop", outcome: "stopped", limit: "time" });
});

test("a turn whose time is up can be cut off for an answer made without tools [TimeUpSynthesizes]", () => {
  const governor = outOfTime({}, { onExhausted: "synthesize" });
  expect(governor.overdue()).toMatchObject({ kind: "synthesize", limit: "time" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "time" });
});

test("a tools-free turn that another limit made due has no more time than there is [TimeUpEndsSynthesis]", () => {
  const governor = timed({ time: 10, tokens: { max: 1, onExhausted: "synthesize" }, canAsk: true });
  turnOf(governor, 1);
  governor.beforeTurn();
  governor.timeIs(10);
  expect(governor.overdue()).toMatchObject({ kind: "stop", outcome: "stopped", limit: "time" });
});

test("a call that the budget of its tool does not cover is refused, and before the next turn there is the question [CallRefused]", () => {
  const governor = outOfReads({ canAsk: true });
  expect(governor.beforeStep({ tool: "read" })).toMatchObject({ kind: "refuse", limit: "tools.read" });
  expect(governor.beforeStep({ tool: "write" }).kind).toBe("proceed");
  governor.turnEnded();
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "tools.read", used: 1, max: 1 });
});

test("a no stands when a program calls the tool again [CallDeclineStands]", () => {
  const governor = outOfReads({ canAsk: true });
  governor.beforeStep({ tool: "read" });
  governor.beforeTurn();
  governor.answer(false);
  governor.settled();
  governor.beforeStep({ tool: "read" });
  expect(governor.stop).toMatchObject({ outcome: "declined", limit: "tools.read" });
});

test("the budget of a tool can stop the run [CallStops]", () => {
  const governor = outOfReads({ canAsk: true }, { onExhausted: "stop" });
  expect(governor.beforeStep({ tool: "read" }).kind).toBe("refuse");
  expect(governor.stop).toMatchObject({ outcome: "stopped", limit: "tools.read" });
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
  expect(governor.stop).toMatchObject({ outcome: "stopped", limit: "repeats", used: 2, max: 2 });
});

test("a budget that is changed keeps what is used [BudgetChanged]", () => {
  const governor = outOfTokens({});
  governor.setBudgets({ tokens: 20 });
  expect(governor.standings).toContainEqual({ limit: "tokens", used: 10, max: 20 });
});

test("a budget that there was not before starts at zero [BudgetReEnabled]", () => {
  const governor = outOfTokens({});
  governor.setBudgets({ tokens: "unlimited" });
  turnOf(governor, 5);
  governor.setBudgets({ tokens: 10 });
  expect(governor.standings).toContainEqual({ limit: "tokens", used: 0, max: 10 });
});

test("a budget that is removed lets the held turn begin [BudgetRemoved]", () => {
  const governor = outOfTokens({ canAsk: true });
  governor.beforeTurn();
  governor.setBudgets({ tokens: "unlimited" });
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test("a turn limit that is removed though there was none takes back a no to a budget [LimitRemovedAgain]", () => {
  const governor = outOfTokens({ turns: "unlimited", canAsk: true });
  governor.beforeTurn();
  governor.answer(false);
  governor.settled();
  governor.maxTurns = "unlimited";
  expect(governor.beforeTurn().kind).toBe("ask");
});

test("a request that was admitted is none too many [RequestAccounted]", () => {
  const governor = prompted({ turns: 1 });
  governor.beforeTurn();
  expect(governor.requestSent()).toBeUndefined();
});

test("a request that was not admitted ends the run at once [RequestOverruns] [RunEndsOverrun]", () => {
  const governor = prompted({ turns: 1 });
  governor.beforeTurn();
  governor.requestSent();
  expect(governor.requestSent()).toMatchObject({ kind: "stop", outcome: "limit-overrun", limit: "turns" });
  expect(governor.settled()?.kind).toBe("limit-overrun");
});

test("a call that was permitted is none too many [CallAccounted]", () => {
  const governor = prompted({ steps: 1 });
  governor.beforeTurn();
  governor.beforeStep();
  expect(governor.stepExecuted()).toBeUndefined();
});

test("a call that was not permitted ends the run at once [CallOverruns]", () => {
  const governor = prompted({ steps: 1 });
  governor.beforeTurn();
  expect(governor.stepExecuted()).toMatchObject({ kind: "stop", outcome: "limit-overrun", limit: "steps" });
});
