import { expect, test } from "vitest";
import { anyOf, DEFAULT_WRAP_UP_MESSAGE } from "../../src/index.ts";
import { callTool, change, prompted, saved, takeTurns, turnTaking } from "../helpers/runs.ts";

// Histories that the model-based tests came upon, made short and plain.

test("a question is over when its governor is restored where nobody can be asked [HeadlessNeverWaits]", () => {
  const governor = prompted({ turns: 1, canAsk: true });
  takeTurns(governor);
  const restored = saved(governor, { canAsk: false });
  expect(restored.view.question).toBeNull();
  expect(restored.beforeTurn()).toMatchObject({ kind: "stop", outcome: "stopped" });
});

test.each([
  ["steps", { steps: { max: 1, onExhausted: "ask" as const } }],
  ["tools.read", { tools: { read: 1 } }],
])(
  "a request that is made again is not held because %s refused a call in it [TurnRetried]",
  (limit, settings) => {
    const governor = prompted({ ...settings, canAsk: true });
    governor.beforeTurn();
    callTool(governor, "read");
    expect(callTool(governor, "read").kind).toBe("refuse");
    governor.turnEnded("failed");
    expect(governor.beforeTurn().kind).toBe("proceed");
    governor.turnEnded();
    expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit });
  },
);

test("nor because a repeated call was refused in it [TurnRetried]", () => {
  const governor = prompted({ repeats: 1, canAsk: true });
  for (let turn = 0; turn < 3; turn += 1) {
    governor.beforeTurn();
    callTool(governor, "read");
    governor.turnEnded();
  }
  governor.turnDiscarded();
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test("an answer that was thrown away and never came again brings no wrap-up nearer, in the next run either [AnswerDiscarded]", () => {
  const governor = prompted({ turns: { max: 3, grace: 2 } });
  takeTurns(governor, 1);
  governor.turnDiscarded();
  governor.settled();
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test("a turn of a new round is completed, although an answer was thrown away before it [TurnCompletes]", () => {
  const governor = prompted({ turns: { max: 3, grace: 2 } });
  takeTurns(governor, 1);
  governor.turnDiscarded();
  governor.turnEnded("aborted");
  governor.reset();
  takeTurns(governor, 1);
  expect(governor.takeWrapUp()).toBe(DEFAULT_WRAP_UP_MESSAGE);
});

test("a held turn begins, and the question is over, once less is used of a limit of one's own [QuestionDropped]", () => {
  const silence = {
    name: "silence",
    max: 1,
    used: ({ turns = 0, output = 0 }) => Math.max(0, turns - output),
  };
  const governor = prompted({ limits: [silence], canAsk: true });
  takeTurns(governor);
  governor.spend("compaction", { input: 0, output: 1 });
  expect(governor.beforeTurn().kind).toBe("proceed");
  expect(governor.view).toMatchObject({ status: "running", question: null });
  expect(governor.beforeStep().kind).toBe("proceed");
});

test("before a retry of the last turn the model can still be told to wrap up [SteeringIsAnswered]", () => {
  const governor = prompted({ turns: 1 });
  governor.beforeTurn();
  governor.turnEnded("failed");
  governor.requestWrapUp();
  expect(governor.takeWrapUp()).toBe(DEFAULT_WRAP_UP_MESSAGE);
});

test("a model that was told not to repeat a call is not told again because another limit refused another call [RepeatRefused]", () => {
  const governor = prompted({
    repeats: 1,
    tools: { write: { max: 0, onExhausted: "refuse" } },
    canAsk: true,
  });
  for (const tool of ["read", "read", "write", "read"]) {
    governor.beforeTurn();
    callTool(governor, tool);
    governor.turnEnded();
  }
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "repeats" });
});

test("what a person granted of a group holds when only its policy changes [PolicyChanged]", () => {
  const members = [{ name: "output", max: 1, used: ({ output = 0 }) => output }];
  const governor = prompted({ limits: [anyOf(members)], canAsk: true });
  turnTaking(governor, { output: 1 });
  governor.beforeTurn();
  governor.answer("unlimited");
  change(governor, { limits: [anyOf(members, { headless: "synthesize" })] });
  turnTaking(governor, { output: 1 });
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test("a failure that is reported twice takes only the calls of the failed turn out of the row [FailsBetweenTurns] [LostAnswerLeavesTheRow]", () => {
  const governor = prompted({ repeats: 1 });
  governor.beforeTurn();
  governor.turnEnded("failed");
  callTool(governor, "read");
  governor.turnEnded("failed");
  expect(callTool(governor, "read").kind).toBe("refuse");
});

test("what is kept back of a limit of calls is for the answer without tools, too [LimitSynthesizes]", () => {
  const own = { name: "own", max: 3, reserve: 1, before: "step", onExhausted: "synthesize" } as const;
  const governor = prompted({ limits: [{ ...own, used: ({ steps = 0 }) => steps }] });
  governor.beforeTurn();
  callTool(governor, "read");
  callTool(governor, "read");
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "synthesize", limit: "own", used: 2, max: 3 });
});

test("a model without a price is a stop, also where a person allowed any cost for this round [UnpricedModelStops]", () => {
  const governor = prompted({ cost: { max: 0, unpriced: "tokens" }, canAsk: true });
  governor.beforeTurn();
  governor.answer("unlimited");
  governor.turnEnded();
  governor.spend("compaction", { input: 0, output: 1 });
  expect(governor.view).toMatchObject({ exhausted: true, unpriced: true });
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "cost", unpriced: true });
});
