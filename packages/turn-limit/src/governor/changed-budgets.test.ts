import { expect, test } from "vitest";
import { callTool, callTools, prompted, turnsTaking, turnTaking, used } from "../../test/runs.ts";
import type { Governor } from "./Governor.ts";

const TEN = { input: 10, cost: 1 };

test("from one number to another a budget keeps what is used", () => {
  const governor = prompted({ tokens: 100 });
  turnsTaking(governor, TEN, 3);
  governor.setBudgets({ tokens: 50 });
  expect(used(governor, "tokens")).toBe(30);
  expect(turnsTaking(governor, TEN)).toBe(2);
});

test("a budget lowered below what is used is the boundary before the next turn", () => {
  const governor = prompted({ tokens: 100, canAsk: true });
  turnsTaking(governor, TEN, 3);
  governor.setBudgets({ tokens: 20 });
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "tokens", used: 30, max: 20 });
});

test("from unlimited to a number a budget starts over", () => {
  const governor = prompted({ tools: { read: 9 } });
  turnsTaking(governor, TEN, 3);
  callTools(governor, "bash", "bash", "read");
  governor.setBudgets({ tokens: 20, cost: 2, tools: { read: 9, bash: 1 } });
  expect(governor.standings).toEqual([
    { limit: "turns", used: 3, max: 25 },
    { limit: "tokens", used: 0, max: 20 },
    { limit: "cost", used: 0, max: 2 },
    { limit: "tools.read", used: 1, max: 9 },
    { limit: "tools.bash", used: 0, max: 1 },
  ]);
  expect(turnsTaking(governor, TEN)).toBe(2);
});

test("a number that was removed and set again starts over", () => {
  const governor = prompted({ tokens: 100 });
  turnsTaking(governor, TEN, 3);
  governor.setBudgets({ tokens: "unlimited" });
  expect(used(governor, "tokens")).toBeUndefined();
  governor.setBudgets({ tokens: 100 });
  expect(used(governor, "tokens")).toBe(0);
});

test("what is not mentioned stays as it is", () => {
  const governor = prompted({ tokens: 100, cost: 9, repeats: 4, tools: { bash: 2 } });
  turnsTaking(governor, TEN, 3);
  governor.setBudgets({ cost: { max: 5, onExhausted: "stop" } });
  expect(governor.budgets).toEqual({
    tokens: 100,
    cost: { max: 5, onExhausted: "stop" },
    time: "unlimited",
    tools: { bash: 2 },
    repeats: 4,
  });
  expect([used(governor, "tokens"), used(governor, "cost")]).toEqual([30, 3]);
});

test("what is mentioned without a value stays as it is, too", () => {
  const governor = prompted({ tokens: 100, tools: { bash: 2 } });
  const before = governor.state;
  governor.setBudgets({ tokens: undefined, tools: undefined } as object);
  expect(governor.state).toEqual(before);
});

test("repeats keep their row when the number changes, and start over when they were not counted", () => {
  const kept = prompted({ repeats: 5 });
  callTools(kept, "poll", "poll");
  kept.setBudgets({ repeats: 2 });
  expect(callTool(kept, "poll").kind).toBe("refuse");

  const started = prompted({});
  callTools(started, "poll", "poll");
  started.setBudgets({ repeats: 2 });
  expect(callTools(started, "poll", "poll", "poll")).toEqual(["proceed", "proceed", "refuse"]);
});

test("a limit raised while the question is open answers it, and what is used stays", () => {
  const governor = prompted({ tokens: 20, canAsk: true });
  turnsTaking(governor, TEN);
  governor.setBudgets({ tokens: 30 });
  expect([governor.status, governor.question]).toEqual(["running", null]);
  expect(governor.answer(false)).toEqual({ kind: "proceed" });
  governor.turnEnded({ usage: { input: 10, output: 0 } });
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "tokens", used: 30, max: 30 });
});

test("a limit that still does not cover the held turn leaves the question open, with the new number", () => {
  const governor = prompted({ tokens: 20, canAsk: true });
  turnsTaking(governor, TEN);
  governor.setBudgets({ tokens: 10 });
  expect(governor.question).toEqual({ limit: "tokens", used: 20, max: 10 });
  expect(governor.status).toBe("asking");
});

test("a policy changed while the question is open answers it", () => {
  const governor = prompted({ tokens: 20, canAsk: true });
  turnsTaking(governor, TEN);
  governor.setBudgets({ tokens: { max: 20, onExhausted: "stop" } });
  expect(governor.question).toBeNull();
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", limit: "tokens" });
});

test("a question about one limit is not answered by another that changes", () => {
  const governor = prompted({ tokens: 20, canAsk: true });
  turnsTaking(governor, TEN);
  governor.setBudgets({ cost: 100 });
  expect(governor.question).toMatchObject({ limit: "tokens" });
  expect(governor.answer(false)).toMatchObject({ kind: "stop", outcome: "declined", limit: "tokens" });
});

test("more time answers what a person is asked in the middle of a turn", () => {
  const governor = overdue();
  governor.setBudgets({ time: 2_000 });
  expect(governor.question).toBeNull();
  expect(governor.timeLeft).toBe(1_000);
});

test("another limit that changes does not answer what a person is asked in the middle of a turn", () => {
  const governor = overdue({ turns: 1 });
  governor.setBudgets({ cost: 100 });
  expect(governor.question).toEqual({ limit: "time", used: 1_000, max: 1_000 });
  governor.maxTurns = 1;
  expect(governor.answer(false)).toMatchObject({ kind: "stop", outcome: "declined", limit: "time" });
});

test("a time limit lowered in the middle of a turn makes the turn overdue", () => {
  const governor = prompted({ time: 9_000, canAsk: true });
  governor.timeIs(0);
  governor.beforeTurn();
  governor.timeIs(1_000);
  expect(governor.overdue()).toBeUndefined();
  governor.setBudgets({ time: 500 });
  expect(governor.overdue()).toMatchObject({ kind: "ask", used: 1_000, max: 500 });
});

test("a changed limit takes back what was granted for it, and for nothing else", () => {
  const governor = prompted({ tokens: 10, cost: 100, canAsk: true });
  turnsTaking(governor, TEN);
  governor.answer("unlimited");
  governor.turnEnded();
  governor.setBudgets({ cost: 99 });
  expect(turnsTaking(governor, TEN, 5)).toBe(5);
  governor.setBudgets({ tokens: 20 });
  expect(governor.beforeTurn()).toEqual({ kind: "ask", limit: "tokens", used: 50, max: 20 });
});

test("changed limits for tools take back what was granted for one of them", () => {
  const governor = prompted({ tools: { bash: 0 }, canAsk: true });
  governor.beforeTurn();
  callTool(governor, "bash");
  governor.beforeTurn();
  governor.answer("unlimited");
  governor.setBudgets({ tokens: 100 });
  expect(callTools(governor, "bash", "bash")).toEqual(["proceed", "proceed"]);
  governor.setBudgets({ tools: { bash: 3 } });
  expect(callTools(governor, "bash", "bash")).toEqual(["proceed", "refuse"]);
});

test("a changed limit lets who has said no be asked again", () => {
  const governor = prompted({ tokens: 10, canAsk: true });
  turnsTaking(governor, TEN);
  governor.answer(false);
  governor.settled();
  expect(governor.exhausted).toBe(true);
  governor.setBudgets({ tokens: 5 });
  expect(governor.exhausted).toBe(false);
  expect(governor.beforeTurn().kind).toBe("ask");
});

test("limits of one's own are not touched by what changes", () => {
  const answers = { name: "answers", max: 3, used: ({ turns }: { turns: number }) => turns };
  const governor = prompted({ limits: [answers] });
  turnTaking(governor, TEN);
  governor.setBudgets({ tokens: 100 });
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
