import { expect, test } from "vitest";
import { anyOf, createGovernor, timeLimit } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { turnWithSteps, used, whyRefused } from "../helpers/runs.ts";
import { timed } from "../helpers/timed.ts";

test("a time limit that is used up stops the next request", () => {
  const { governor, turnsOf } = timed({ time: 3_000 });
  expect(turnsOf(1_000)).toBe(3);
  const stop = { kind: "stop", outcome: "stopped", raises: false, ...named("time"), used: 3_000, max: 3_000 };
  expect(governor.beforeTurn()).toEqual(stop);
  expect(governor.settled()).toMatchObject({ kind: "stopped", ...named("time"), turns: 3, time: 3_000 });
});

test("a time limit that a millisecond is left of admits another request", () => {
  const { turnsOf } = timed({ time: 3_001 });
  expect(turnsOf(1_000)).toBe(4);
});

test("a time limit of 0 is the boundary before the first request, and an unlimited one never", () => {
  expect(timed({ time: 0 }).turnsOf(1)).toBe(0);
  expect(timed({ turns: 9, time: "unlimited" }).turnsOf(1e9)).toBe(9);
});

test("a clock that is set back takes no time away, and counts from there", () => {
  const governor = createGovernor({ time: 9_000 });
  governor.timeIs(1_000);
  governor.prompt();
  const spent = [5_000, 2_000, 4_000, 6_000].map((now) => {
    governor.timeIs(now);
    return governor.view.totals.time;
  });
  expect(spent).toEqual([4_000, 4_000, 6_000, 8_000]);
});

test("time counts from the prompt on, and not between two runs", () => {
  const { governor, pass, turnsOf } = timed({ time: 3_000 });
  turnsOf(1_000, 2);
  governor.settled();
  pass(60_000);
  expect(used(governor, "time")).toBe(2_000);
  expect(turnsOf(1_000)).toBe(1);
  governor.settled();
  governor.prompt();
  expect(used(governor, "time")).toBe(0);
  expect(turnsOf(1_000)).toBe(3);
});

test("the time in which a person is asked at the boundary does not count", () => {
  const { governor, pass, turnsOf } = timed({ turns: 1, time: 5_000, canAsk: true });
  turnsOf(1_000);
  pass(3_600_000);
  governor.answer(true);
  expect(used(governor, "time")).toBe(1_000);
  pass(500);
  governor.turnEnded();
  expect(governor.settled()).toMatchObject({ time: 1_500 });
});

test("the time in which the host waits for a person does not count", () => {
  const { governor, pass } = timed({ time: 1_000 });
  governor.beforeTurn();
  pass(100);
  governor.waiting(true);
  expect(governor.view.waiting).toBe(true);
  expect(governor.view.timeLeft).toBeUndefined();
  pass(3_600_000);
  governor.waiting(false);
  expect(governor.view.timeLeft).toBe(900);
  pass(100);
  expect(governor.view.totals.time).toBe(200);
});

test("nobody is waited for any more in the next run", () => {
  const { governor, pass } = timed({ time: 1_000 });
  governor.waiting(true);
  governor.settled();
  governor.prompt();
  pass(100);
  expect(governor.view.totals.time).toBe(100);
});

test("a time limit without the time is an error, and not no limit", () => {
  const alone = createGovernor({ time: 1_000 });
  const withOthers = createGovernor({
    limits: [anyOf([timeLimit(5), { name: "other", max: 1, used: () => 0 }])],
  });
  for (const governor of [alone, withOthers]) {
    governor.prompt();
    expect(() => governor.beforeTurn()).toThrow(/needs the time/);
    expect(() => governor.beforeTurn()).toThrow(/needs the time/);
    governor.timeIs(0);
    expect(governor.beforeTurn().kind).toBe("proceed");
  }
});

test("what is left of the time is said while it counts, and only then", () => {
  const { governor, pass } = timed({ turns: 1, time: 1_000, canAsk: true });
  expect(governor.view.timeLeft).toBe(1_000);
  governor.beforeTurn();
  pass(400);
  expect(governor.view.timeLeft).toBe(600);
  governor.turnEnded();
  governor.beforeTurn();
  expect([governor.view.status, governor.view.timeLeft]).toEqual(["asking", undefined]);
  governor.answer(true);
  expect(governor.view.timeLeft).toBe(600);
  pass(9_999);
  expect(governor.view.timeLeft).toBe(0);
  governor.settled();
  expect(governor.view.timeLeft).toBeUndefined();
  expect(timed({}).governor.view.timeLeft).toBeUndefined();
});

test("how long a run took is in its outcome, if anybody said", () => {
  const { governor, pass } = timed({});
  pass(700);
  governor.beforeTurn();
  pass(300);
  expect(governor.settled()).toMatchObject({ time: 1_000 });
  const untimed = createGovernor();
  untimed.prompt();
  turnWithSteps(untimed, 1);
  expect(untimed.settled()).not.toHaveProperty("time");
});

test.each<[unknown, string]>([
  [-1, "time.max"],
  [Number.NaN, "time.max"],
  ["5m", "time.max"],
  [null, "time"],
  [{ max: 5, reserve: "1s" }, "time.reserve"],
  [{ max: 5, onExhausted: "refuse" }, "time.onExhausted"],
  [{ max: 5, headless: "ask" }, "time.headless"],
])(
  "a time limit of %j is refused by the name of what is wrong with it, and changes nothing [RefuseIsForCalls] [HeadlessNeverAsks]",
  (time, setting) => {
    const { governor } = timed({ time: 7 });
    const before = governor.state;
    expect(whyRefused(() => createGovernor({ time: time as number }))).toMatchObject({ setting });
    expect(whyRefused(() => governor.configure({ cost: 1, time: time as number }))).toMatchObject({
      setting,
    });
    expect(governor.state).toEqual(before);
  },
);
