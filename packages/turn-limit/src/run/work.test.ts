import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { alone, driven, WAYS } from "../../test/helpers/driven.ts";
import { rest } from "../../test/helpers/person.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { Driver } from "./driver.ts";

test("when the time is up, a request is aborted", async () => {
  const { driver, clock } = alone({ time: 1_000 });
  await driver.admitTurn();
  clock.pass(999);
  expect(driver.signal.aborted).toBe(false);
  clock.pass(1);
  expect(driver.signal.aborted).toBe(true);
  driver.turnEnded("aborted");
  expect(driver.end()).toMatchObject({ kind: "stopped", limit: "time", time: 1_000 });
});

test.each(WAYS)(
  "a time limit changed through %s in the middle of a turn sets the timer anew [ChangedTimeHoldsAtOnce]",
  async (_who, configure) => {
    const lowered = alone({ time: 10_000 });
    await lowered.driver.admitTurn();
    lowered.clock.pass(4_000);
    configure(lowered.driver, { time: 5_000 });
    lowered.clock.pass(999);
    expect(lowered.driver.signal.aborted).toBe(false);
    lowered.clock.pass(1);
    expect(lowered.driver.signal.aborted).toBe(true);

    const raised = alone({ time: 5_000 });
    await raised.driver.admitTurn();
    raised.clock.pass(4_000);
    configure(raised.driver, { time: 10_000 });
    raised.clock.pass(5_999);
    expect(raised.driver.signal.aborted).toBe(false);
    raised.clock.pass(1);
    expect(raised.driver.signal.aborted).toBe(true);

    const removed = alone({ time: 5_000 });
    await removed.driver.admitTurn();
    configure(removed.driver, { time: "unlimited" });
    expect(removed.clock.timers).toBe(0);
  },
);

test.each(WAYS)(
  "a time limit set through %s in the middle of a turn counts from then on [ChangedTimeHoldsAtOnce]",
  async (_who, configure) => {
    const { driver, clock } = alone({});
    await driver.admitTurn();
    clock.pass(60_000);
    configure(driver, { time: 5_000 });
    expect(driver.governor.view.timeLeft).toBe(5_000);
    clock.pass(4_999);
    expect(driver.signal.aborted).toBe(false);
    clock.pass(1);
    expect(driver.signal.aborted).toBe(true);
  },
);

test("in the middle of a turn somebody is asked while it goes on; a yes sets the timer anew", async () => {
  const { driver, clock, person } = driven({ time: 1_000 });
  await driver.admitTurn();
  clock.pass(1_000);
  expect(person.last.ask).toMatchObject({ limit: "time", midTurn: true });
  clock.pass(60_000);
  await person.replies(true);
  expect([driver.signal.aborted, driver.governor.view.timeLeft]).toEqual([false, 1_000]);
  clock.pass(1_000);
  expect(person.asked).toHaveLength(2);
  await person.replies(false);
  expect(driver.signal.aborted).toBe(true);
  expect(driver.end("aborted")).toMatchObject({ kind: "declined", limit: "time" });
});

test("a turn that ends before the person replies has the next one wait for the same question", async () => {
  const { driver, clock, person } = driven({ time: 1_000 });
  await driver.admitTurn();
  clock.pass(1_000);
  driver.turnEnded();
  const next = driver.admitTurn();
  await rest();
  expect(person.asked).toHaveLength(1);
  await person.replies(true);
  expect(await next).toEqual({ kind: "proceed" });
  expect(driver.governor.view).toMatchObject({ totals: { turns: 2 }, timeLeft: 1_000 });
});

test("more time withdraws what is asked in the middle of a turn, and sets the timer", async () => {
  const { driver, clock, person } = driven({ time: 1_000 });
  await driver.admitTurn();
  clock.pass(1_000);
  driver.configure({ time: 3_000 });
  await rest();
  expect([person.last.signal.aborted, driver.governor.view.timeLeft]).toEqual([true, 2_000]);
  clock.pass(2_000);
  expect(person.asked).toHaveLength(2);
});

test("the time in which the host waits for a person does not count", async () => {
  const { driver, clock } = alone({ time: 1_000 });
  await driver.admitTurn();
  clock.pass(400);
  driver.waiting(true);
  clock.pass(60_000);
  driver.waiting(false);
  clock.pass(599);
  expect(driver.signal.aborted).toBe(false);
  clock.pass(1);
  expect(driver.signal.aborted).toBe(true);
});

test("a run that is over has no timer", async () => {
  const { driver, clock } = alone({ time: 1_000 });
  await driver.admitTurn();
  driver.turnEnded();
  driver.end();
  expect(clock.timers).toBe(0);
});

test("a call that has its result says so, whether it was there at once or not [CallReturns]", async () => {
  const { driver } = driven({ repeats: 2 });
  await driver.admitTurn();
  for (const run of [() => 5, () => Promise.resolve(5), () => sleep(1, 5)]) {
    expect(driver.refusal({ tool: `${run}` })).toBeUndefined();
    expect(await driver.execute({ tool: `${run}` }, run)).toEqual({ kind: "result", result: 5 });
  }
});

test("a call that fails fails, and is a repeat if it fails the same way again", async () => {
  const { driver } = driven({ repeats: 2 });
  await driver.admitTurn();
  const call = { id: "1", tool: "bash" };
  for (const run of [
    () => {
      throw new Error("no");
    },
    () => Promise.reject(new Error("no")),
  ]) {
    expect(driver.refusal(call)).toBeUndefined();
    await expect(driver.execute(call, run)).rejects.toThrow("no");
  }
  expect(driver.refusal(call)).toMatch(/2 times in a row with the same result/);
});

test.each([
  ["stop", { time: { max: 1_000, onExhausted: "stop" } }],
  ["synthesize", { time: { max: 1_000, onExhausted: "synthesize" } }],
] as const)(
  "calls that hang when the time is up are cut off, with a reason, if it is to %s [CallCutOff]",
  async (_what, options) => {
    const { driver, clock } = driven(options);
    await driver.admitTurn();
    const calls = ["one", "other"].map((tool) => {
      expect(driver.refusal({ tool })).toBeUndefined();
      return driver.execute({ tool }, () => new Promise<string>(() => {}));
    });
    clock.pass(1_000);
    const reason =
      "Cut off before it had a result: the time limit is reached (1s/1s). No more tool calls are possible in this run.";
    expect(await Promise.all(calls)).toEqual([
      { kind: "cut-off", reason },
      { kind: "cut-off", reason },
    ]);
    expect(driver.signal.aborted).toBe(false);
    driver.turnEnded();
    expect((await driver.admitTurn()).kind).toBe(_what);
  },
);

test("a call that has its result when the time is up is not told as cut off [CallReturns]", async () => {
  const { driver, clock } = alone({ time: 1_000 });
  await driver.admitTurn();
  driver.refusal({ tool: "bash" });
  const call = driver.execute({ tool: "bash" }, () => "done");
  const executed = await call;
  clock.pass(1_000);
  expect(executed).toEqual({ kind: "result", result: "done" });
  expect(driver.signal.aborted).toBe(true);
});

test("a call that was cut off and fails afterwards disturbs nobody", async () => {
  const { driver, clock } = alone({ time: 1_000 });
  await driver.admitTurn();
  driver.refusal({ tool: "bash" });
  let fail = (_: Error) => {};
  const late = new Promise((_, reject) => {
    fail = reject;
  });
  const call = driver.execute({ tool: "bash" }, () => late);
  clock.pass(1_000);
  expect((await call).kind).toBe("cut-off");
  fail(new Error("too late"));
  await rest();
});

test("a call that was not admitted is not run, and ends the run at once", async () => {
  const { driver } = alone({ steps: 1 });
  await driver.admitTurn();
  const run = vi.fn(() => 5);
  expect(await driver.execute({ tool: "bash" }, run)).toEqual({
    kind: "cut-off",
    reason: "Not run: more was executed than the limits admit.",
  });
  expect([run.mock.calls.length, driver.signal.aborted]).toEqual([0, true]);
  expect(driver.end()).toMatchObject({ kind: "limit-overrun", limit: "steps" });
});

test("a host can cut off in its own way, and say that it cannot go on", async () => {
  const cutOff = vi.fn();
  const clock = new ManualClock();
  const time = { max: 1_000, onExhausted: "synthesize" } as const;
  const driver = new Driver({ time, clock }, { cutOff, canGoOn: () => false });
  driver.begin();
  await driver.admitTurn();
  clock.pass(1_000);
  expect(cutOff.mock.calls).toEqual([[expect.objectContaining({ kind: "stop", limit: "time" })]]);
  expect(driver.signal.aborted).toBe(false);
});

test("a run that no prompt began has a signal of its own", async () => {
  const { driver, clock } = alone({ time: 1_000 });
  await driver.admitTurn();
  clock.pass(1_000);
  const { signal } = driver;
  driver.end();
  driver.configure({ time: 9_000 });
  await driver.admitTurn();
  expect([signal.aborted, driver.signal.aborted]).toEqual([true, false]);
});
