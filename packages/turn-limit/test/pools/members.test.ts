import { afterEach, expect, test, vi } from "vitest";
import { memoryStore, type Store } from "../../src/index.ts";
import { alone, driven } from "../helpers/driven.ts";
import { Driver } from "../helpers/driver.ts";
import { aPool } from "./a-pool.ts";

const answer = (input: number) => ({ usage: { input, output: 0 } });

afterEach(() => {
  vi.useRealTimers();
});

/** A store whose next requests wait until they are let go. */
function heldBack() {
  const memory = memoryStore();
  let waiting: (() => void)[] = [];
  let holds = false;
  const store: Store = {
    ...memory,
    async take(take) {
      if (holds) await new Promise<void>((resolve) => waiting.push(resolve));
      return memory.take(take);
    },
  };
  return {
    store,
    hold: () => {
      holds = true;
    },
    letGo: () => {
      holds = false;
      for (const go of waiting) go();
      waiting = [];
    },
  };
}

test("the estimate of an answer is what the recent ones took, from the second on", async () => {
  const { pool, standing } = aPool({ tokens: 1_000 });
  const { driver } = alone({ pool });
  const held: (number | undefined)[] = [];
  for (const tokens of [100, 200, 300]) {
    await driver.admitTurn();
    held.push((await standing()).held.tokens);
    driver.turnEnded(answer(tokens));
  }
  expect(held).toEqual([undefined, 100, 150]);
});

test("what was settled in between is learned from all the same", async () => {
  const { pool, standing } = aPool({ tokens: 1_000 });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded(answer(100));
  await driver.shared.settle();
  await driver.admitTurn();
  expect(await standing()).toMatchObject({ settled: { tokens: 100 }, held: { tokens: 100 } });
});

test("turns at once of one run hold an estimate each [OnlyMeasuredIsHeld] [CountedWithinAdmitted]", async () => {
  const { pool, standing } = aPool({ turns: 3, tokens: 1_000, estimate: { tokens: 50 } });
  const { driver } = alone({ pool });
  const kinds = (await Promise.all([1, 2, 3, 4].map(() => driver.admitTurn()))).map(({ kind }) => kind);
  expect(kinds).toEqual(["proceed", "proceed", "proceed", "stop"]);
  driver.turnEnded(answer(10));
  await driver.shared.settle();
  expect(await standing()).toEqual({ settled: { turns: 3, tokens: 10 }, held: { tokens: 100 }, agents: 1 });
  driver.end();
  await driver.shared.done();
  expect(await standing()).toEqual({ settled: { turns: 3, tokens: 10 }, held: {}, agents: 0 });
});

test("a request that is made again is no new turn", async () => {
  const { pool, standing } = aPool({ turns: 1 });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded("failed");
  expect((await driver.admitTurn()).kind).toBe("proceed");
  driver.turnEnded();
  expect((await driver.admitTurn()).kind).toBe("stop");
  expect((await standing()).settled).toEqual({ turns: 1 });
});

test("a run that waits for a person holds nothing [WaitingMemberLetsGo] [OnlyThePresentHold]", async () => {
  const { pool, standing } = aPool({ tokens: 1_000, estimate: { tokens: 50 } });
  const { driver, person } = driven({ turns: 1, pool });
  await driver.admitTurn();
  driver.turnEnded(answer(10));
  const admission = driver.admitTurn();
  await expect.poll(() => person.asked.length).toBeGreaterThan(0);
  expect(await standing()).toEqual({ settled: { tokens: 10 }, held: {}, agents: 1 });
  await person.replies(true);
  expect((await admission).kind).toBe("proceed");
  expect((await standing()).held).toEqual({ tokens: 50 });
});

test("a run that ends while a turn is being reserved gives it back, and leaves", async () => {
  const { store, hold, letGo } = heldBack();
  const { pool, standing } = aPool({ turns: 5, tokens: 100, estimate: { tokens: 10 }, store });
  const { driver } = alone({ pool });
  hold();
  const admission = driver.admitTurn();
  driver.end("aborted");
  letGo();
  expect((await admission).kind).toBe("stop");
  await driver.shared.done();
  expect(await standing()).toEqual({ settled: {}, held: {}, agents: 0 });
});

test("a turn whose wait was aborted while it was being reserved does not begin", async () => {
  const { store, hold, letGo } = heldBack();
  const { pool, standing } = aPool({ turns: 5, tokens: 100, estimate: { tokens: 10 }, store });
  const { driver } = alone({ pool });
  const abort = new AbortController();
  hold();
  const admission = driver.admitTurn(abort.signal);
  abort.abort();
  letGo();
  expect((await admission).kind).toBe("stop");
  expect(await standing()).toMatchObject({ settled: {}, held: {} });
});

test("a call of a run that ended while it was being reserved is no step of the next run", async () => {
  const { store, hold, letGo } = heldBack();
  const { pool, standing } = aPool({ steps: 5, store });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded();
  hold();
  const refusal = driver.refusal({ id: "a", tool: "work", args: {} });
  driver.begin();
  letGo();
  expect(await refusal).toContain("the run is over");
  await driver.shared.done();
  expect(driver.view.totals.steps).toBe(0);
  expect(await standing()).toEqual({ settled: {}, held: {}, agents: 0 });
});

test("a call that is denied after the run is over is given back, and the run stays away", async () => {
  const { pool, standing } = aPool({ steps: 5, tools: { work: 3 } });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded();
  await driver.refusal({ id: "a", tool: "work", args: {} });
  expect((await standing()).settled).toEqual({ steps: 1, "tools.work": 1 });
  driver.stepDenied({ id: "a" });
  driver.end();
  await driver.shared.done();
  expect(await standing()).toEqual({ settled: {}, held: {}, agents: 0 });
});

test("members at work speak up, and settle what they used", async () => {
  vi.useFakeTimers();
  const { pool, standing, time } = aPool({ tokens: 1_000, lease: 3_000, estimate: { tokens: 50 } });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  for (let second = 0; second < 10; second += 1) {
    time.now += 1_000;
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(await standing()).toEqual({ settled: {}, held: { tokens: 50 }, agents: 1 });
  driver.turnEnded(answer(70));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await standing()).toEqual({ settled: { tokens: 70 }, held: {}, agents: 1 });
});

test("a run that waits for an approval leaves, and takes part again with its next turn", async () => {
  vi.useFakeTimers();
  const { pool, standing } = aPool({ turns: 5, lease: 3_000 });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded();
  driver.waiting(true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await standing()).toEqual({ settled: { turns: 1 }, held: {}, agents: 0 });
  expect(vi.getTimerCount()).toBe(0);
  driver.waiting(false);
  await driver.admitTurn();
  expect(await standing()).toEqual({ settled: { turns: 2 }, held: {}, agents: 1 });
});

test("a member that is silent for too long has paid what it held, and is corrected when it comes back [LeaseEnds] [ComebackIsCorrected]", async () => {
  const { pool, standing, time } = aPool({ tokens: 1_000, lease: 3_000, estimate: { tokens: 50 } });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  time.now += 3_000;
  expect(await standing()).toEqual({ settled: { tokens: 50 }, held: {}, agents: 0 });
  driver.turnEnded(answer(20));
  driver.end();
  await driver.shared.done();
  expect(await standing()).toEqual({ settled: { tokens: 20 }, held: {}, agents: 0 });
});

test("what is spent while the run rests is told when it ends", async () => {
  const { pool, standing } = aPool({ tokens: 1_000 });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded(answer(10));
  driver.turn.rest();
  await driver.shared.done();
  expect(await standing()).toEqual({ settled: { tokens: 10 }, held: {}, agents: 0 });
  driver.spend("compaction", { input: 5, output: 0 });
  driver.end();
  await driver.shared.done();
  expect(await standing()).toEqual({ settled: { tokens: 15 }, held: {}, agents: 0 });
});

test("what is spent between two runs is told to the pool at once, and counts for the prompt before [SpendingOutsideRunCounts]", async () => {
  const { pool, standing } = aPool({ tokens: 1_000 });
  const { driver } = alone({ pool, tokens: 100 });
  await driver.admitTurn();
  driver.turnEnded(answer(10));
  driver.end();
  driver.spend("compaction", { input: 5, output: 0 });
  await driver.shared.settle();
  expect(await standing()).toEqual({ settled: { tokens: 15 }, held: {}, agents: 0 });
  expect(driver.view.standings).toContainEqual(expect.objectContaining({ limit: "tokens", used: 15 }));
  driver.begin();
  expect(driver.view.standings).toContainEqual(expect.objectContaining({ limit: "tokens", used: 0 }));
});

test("a run knows whether a limit would stop it before the next request", async () => {
  const { pool } = aPool({ tokens: 10 });
  const { driver } = alone({ pool, turns: { max: 1, onExhausted: "stop" } });
  expect(await driver.isStoppedBefore("turn")).toBe(false);
  await driver.admitTurn();
  driver.turnEnded(answer(5));
  expect(await driver.isStoppedBefore("turn")).toBe(true);
  driver.end();
  expect(await driver.isStoppedBefore("turn", { afterPrompt: true })).toBe(false);
  driver.spend("compaction", { input: 5, output: 0 });
  expect(await driver.isStoppedBefore("turn", { afterPrompt: true })).toBe(true);
});

test("a run that wants nothing never takes part", async () => {
  const { pool, standing } = aPool({ turns: 5 });
  const driver = new Driver({ pool });
  driver.begin();
  driver.end();
  await driver.shared.done();
  expect((await standing()).agents).toBeUndefined();
});

test("a giant price is as much as a store can keep, and a negative one is refused", async () => {
  const { pool, standing } = aPool({ cost: 5 });
  const { driver } = alone({ pool, price: ({ input }) => (input === 1 ? 1e12 : -1) });
  await driver.admitTurn();
  driver.turnEnded(answer(1));
  expect((await driver.admitTurn()).kind).toBe("stop");
  expect(Number.isSafeInteger((await standing()).settled.cost)).toBe(true);
  expect(() => driver.spend("nested", { input: 2, output: 0 })).toThrow("price");
});

test("a pool without limits admits everything, and can be frozen", async () => {
  const { pool } = aPool();
  const { driver } = alone({ pool });
  expect((await driver.admitTurn()).kind).toBe("proceed");
  driver.turnEnded();
  await pool.freeze();
  expect((await driver.admitTurn()).kind).toBe("stop");
});
