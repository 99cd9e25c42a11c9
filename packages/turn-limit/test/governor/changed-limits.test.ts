import { expect, test } from "vitest";
import { type Governor, InvalidLimit } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import {
  asking,
  callTool,
  callTools,
  change,
  prompted,
  takeTurns,
  turnsTaking,
  turnTaking,
  used,
} from "../helpers/runs.ts";

const TEN = { input: 10, cost: 1 };

test("from one number to another a budget keeps what is used", () => {
  const governor = prompted({ tokens: 100 });
  turnsTaking(governor, TEN, 3);
  change(governor, { tokens: 50 });
  expect(used(governor, "tokens")).toBe(30);
  expect(turnsTaking(governor, TEN)).toBe(2);
});

test("a budget lowered below what is used is the boundary before the next turn", () => {
  const governor = prompted({ tokens: 100, canAsk: true });
  turnsTaking(governor, TEN, 3);
  change(governor, { tokens: 20 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), used: 30, max: 20 });
});

test("from unlimited to a number a budget starts over [LimitReEnabled] [BudgetOpens]", () => {
  const governor = prompted({ tools: { read: 9 } });
  turnsTaking(governor, TEN, 3);
  callTools(governor, "bash", "bash", "read");
  change(governor, { tokens: 20, cost: 2, tools: { read: 9, bash: 1 } });
  expect(governor.view.standings).toEqual([
    { ...named("turns"), used: 3, max: 25 },
    { ...named("tokens"), used: 0, max: 20 },
    { ...named("cost"), used: 0, max: 2 },
    { ...named("tools.read"), used: 1, max: 9 },
    { ...named("tools.bash"), used: 0, max: 1 },
  ]);
  expect(turnsTaking(governor, TEN)).toBe(2);
});

test("a number that was removed and set again starts over", () => {
  const governor = prompted({ tokens: 100 });
  turnsTaking(governor, TEN, 3);
  change(governor, { tokens: "unlimited" });
  expect(used(governor, "tokens")).toBeUndefined();
  change(governor, { tokens: 100 });
  expect(used(governor, "tokens")).toBe(0);
});

test("what is not mentioned stays as it is", () => {
  const governor = prompted({ tokens: 100, cost: 9, repeats: 4, tools: { bash: 2 } });
  turnsTaking(governor, TEN, 3);
  change(governor, { cost: { max: 5, onExhausted: "stop" } });
  expect(governor.view.settings).toMatchObject({
    tokens: { max: 100 },
    cost: { max: 5, onExhausted: "stop" },
    time: { max: "unlimited" },
    tools: { bash: { max: 2 } },
    repeats: { max: 4 },
  });
  expect([used(governor, "tokens"), used(governor, "cost")]).toEqual([30, 3]);
});

test.each([{}, { tokens: undefined, tools: undefined }])(
  "what is left out of the settings, as in %j, has its default: the limit is gone [SettingsCompared] [LimitRemoved]",
  (settings) => {
    const governor = prompted({ turns: 2, tokens: 100, tools: { bash: 2 } });
    turnsTaking(governor, TEN, 1);
    governor.configure(settings);
    expect(governor.view.standings).toEqual([{ ...named("turns"), used: 1, max: 25 }]);
  },
);

test("repeats keep their row when the number changes, and start over when they were not counted", () => {
  const kept = prompted({ repeats: 5 });
  callTools(kept, "poll", "poll");
  change(kept, { repeats: 2 });
  expect(callTool(kept, "poll").kind).toBe("refuse");

  const started = prompted({});
  callTools(started, "poll", "poll");
  change(started, { repeats: 2 });
  expect(callTools(started, "poll", "poll", "poll")).toEqual(["proceed", "proceed", "refuse"]);
});

test("a limit raised while the question is open answers it, and what is used stays", () => {
  const governor = prompted({ tokens: 20, canAsk: true });
  turnsTaking(governor, TEN);
  change(governor, { tokens: 30 });
  expect([governor.view.status, governor.view.question]).toEqual(["running", null]);
  expect(governor.answer(false)).toEqual({ kind: "proceed" });
  governor.turnEnded({ usage: { input: 10, output: 0 } });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), used: 30, max: 30 });
});

test("a limit that still does not cover the held turn leaves the question open, with the new number", () => {
  const governor = prompted({ tokens: 20, canAsk: true });
  turnsTaking(governor, TEN);
  change(governor, { tokens: 10 });
  expect(governor.view.question).toMatchObject({ ...named("tokens"), used: 20, max: 10 });
  expect(governor.view.status).toBe("asking");
});

test("a policy changed while the question is open answers it", () => {
  const governor = prompted({ tokens: 20, canAsk: true });
  turnsTaking(governor, TEN);
  change(governor, { tokens: { max: 20, onExhausted: "stop" } });
  expect(governor.view.question).toBeNull();
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "tokens" });
});

test("a question about one limit is not answered by another that changes", () => {
  const governor = prompted({ tokens: 20, canAsk: true });
  turnsTaking(governor, TEN);
  change(governor, { cost: 100 });
  expect(governor.view.question).toMatchObject({ limit: "tokens" });
  expect(governor.answer(false)).toMatchObject({
    kind: "stop",
    outcome: "declined",
    raises: false,
    ...named("tokens"),
  });
});

test("more time answers what a person is asked in the middle of a turn", () => {
  const governor = overdue();
  change(governor, { time: 2_000 });
  expect(governor.view.question).toBeNull();
  expect(governor.view.timeLeft).toBe(1_000);
});

test("another limit that changes does not answer what a person is asked in the middle of a turn", () => {
  const governor = overdue({ turns: 1 });
  change(governor, { cost: 100 });
  expect(governor.view.question).toMatchObject({ ...named("time"), used: 1_000, max: 1_000 });
  change(governor, { turns: 1 });
  expect(governor.answer(false)).toMatchObject({
    kind: "stop",
    outcome: "declined",
    raises: false,
    ...named("time"),
  });
});

test("a time limit lowered in the middle of a turn makes the turn overdue [ChangedTimeHoldsAtOnce]", () => {
  const governor = prompted({ time: 9_000, canAsk: true });
  governor.timeIs(0);
  governor.beforeTurn();
  governor.timeIs(1_000);
  expect(governor.overdue()).toBeUndefined();
  change(governor, { time: 500 });
  expect(governor.overdue()).toMatchObject({ kind: "ask", used: 1_000, max: 500 });
});

test("a changed limit takes back what was granted for it, and for nothing else", () => {
  const governor = prompted({ tokens: 10, cost: 100, canAsk: true });
  turnsTaking(governor, TEN);
  governor.answer("unlimited");
  governor.turnEnded();
  change(governor, { cost: 99 });
  expect(turnsTaking(governor, TEN, 5)).toBe(5);
  change(governor, { tokens: 20 });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tokens"), used: 50, max: 20 });
});

test("changed limits for tools take back what was granted for one of them", () => {
  const governor = prompted({ tools: { bash: 0 }, canAsk: true });
  governor.beforeTurn();
  callTool(governor, "bash");
  governor.beforeTurn();
  governor.answer("unlimited");
  change(governor, { tokens: 100 });
  expect(callTools(governor, "bash", "bash")).toEqual(["proceed", "proceed"]);
  change(governor, { tools: { bash: 3 } });
  expect(callTools(governor, "bash", "bash")).toEqual(["proceed", "refuse"]);
});

test("a limit that is changed and still does not cover the call that was refused is asked about before the next turn", () => {
  for (const bash of [0, { max: 1, headless: "stop" }] as const) {
    const governor = prompted({ tools: { bash: 1 }, canAsk: true });
    governor.beforeTurn();
    callTools(governor, "bash", "bash");
    change(governor, { tools: { bash } });
    governor.turnEnded();
    expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("tools.bash"), used: 1 });
  }
});

test("a changed limit lets who has said no be asked again [ChangeTakesBackANo]", () => {
  const governor = prompted({ tokens: 10, canAsk: true });
  turnsTaking(governor, TEN);
  governor.answer(false);
  governor.settled();
  expect(governor.view.exhausted).toBe(true);
  change(governor, { tokens: 5 });
  expect(governor.view.exhausted).toBe(false);
  expect(governor.beforeTurn().kind).toBe("ask");
});

test("limits of one's own are not intervened by what changes", () => {
  const answers = { name: "answers", max: 3, used: ({ turns }: { turns: number }) => turns };
  const governor = prompted({ limits: [answers] });
  turnTaking(governor, TEN);
  change(governor, { tokens: 100 });
  expect(turnsTaking(governor, TEN)).toBe(2);
});

/** A governor that asks about time in the middle of a turn. */
function overdue(options: { turns?: number } = {}): Governor {
  const governor = prompted({ ...options, time: 1_000, canAsk: true });
  governor.timeIs(0);
  governor.beforeTurn();
  governor.timeIs(1_000);
  governor.overdue();
  return governor;
}

test("a limit lowered below the counter is the boundary before the next turn [LimitChanged] [LimitReached]", () => {
  const governor = prompted({ turns: 25, canAsk: true });
  takeTurns(governor, 4);
  change(governor, { turns: 3 });
  expect(used(governor, "turns")).toBe(4);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("turns"), used: 4, max: 3 });
});

test("a limit lowered while a turn is under way lets that turn finish [LimitChanged] [TurnCompletes]", () => {
  const governor = prompted({ turns: 25 });
  governor.beforeTurn();
  change(governor, { turns: 1 });
  expect(governor.beforeStep().kind).toBe("proceed");
  governor.turnEnded();
  expect(governor.view.request).toBe("answered");
  expect(governor.beforeTurn().kind).toBe("stop");
});

test("from one number to another the counter keeps its value [LimitChanged]", () => {
  const governor = prompted({ turns: 5 });
  takeTurns(governor, 4);
  change(governor, { turns: 7 });
  expect(used(governor, "turns")).toBe(4);
  expect(takeTurns(governor)).toBe(3);
});

test("from unlimited to a number the counter starts over [LimitReEnabled]", () => {
  const governor = prompted({ turns: "unlimited" });
  takeTurns(governor, 10);
  change(governor, { turns: 3 });
  expect(used(governor, "turns")).toBe(0);
  expect(takeTurns(governor)).toBe(3);
});

test("from a number to unlimited the counter goes on without a boundary [LimitRemoved]", () => {
  const governor = prompted({ turns: 2, canAsk: true });
  takeTurns(governor, 2);
  change(governor, { turns: "unlimited" });
  expect(takeTurns(governor, 10)).toBe(10);
  expect(used(governor, "turns")).toBe(12);
});

test("a value that is no limit is refused and changes nothing [LimitIsNotNegative]", () => {
  const governor = asking();
  const before = governor.state;
  expect(() => {
    change(governor, { turns: -1 });
  }).toThrow(InvalidLimit);
  expect(governor.state).toEqual(before);
});

test("a limit raised while the question is open answers it, and the counter stays [QuestionOvertaken]", () => {
  const governor = asking();
  change(governor, { turns: 3 });
  expect(governor.view.status).toBe("running");
  expect(takeTurns(governor)).toBe(1);
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("turns"), used: 3, max: 3 });
});

test("a limit removed while the question is open answers it [LimitRemoved]", () => {
  const governor = asking();
  change(governor, { turns: "unlimited" });
  expect(governor.view.status).toBe("running");
  expect(governor.beforeTurn().kind).toBe("proceed");
});

test("a limit that still does not cover the held turn leaves the question open [QuestionStands] [AskedOnlyAtTheBoundary]", () => {
  const governor = asking();
  change(governor, { turns: 1 });
  expect(governor.view.status).toBe("asking");
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", ...named("turns"), used: 2, max: 1 });
});

test("a no that comes after the question was overtaken stops nothing [QuestionOvertaken]", () => {
  const governor = asking();
  change(governor, { turns: 3 });
  expect(governor.answer(false)).toEqual({ kind: "proceed" });
  expect(used(governor, "turns")).toBe(3);
});
