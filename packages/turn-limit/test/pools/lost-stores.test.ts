import { expect, onTestFinished, test, vi } from "vitest";
import { createPool, memoryStore } from "../../src/index.ts";
import type { PoolOptions } from "../../src/pools/pool-options.ts";
import { alone } from "../helpers/driven.ts";
import { aPool } from "./a-pool.ts";

/** A pool whose store fails when it is told to. */
function failing(options: Omit<PoolOptions, "id">) {
  const scene = aPool(options);
  const { take } = scene.store;
  const store = { fails: false };
  scene.store.take = async (request) => {
    if (store.fails) throw new Error("Gone.");
    return take(request);
  };
  return { ...scene, control: store };
}

async function turns(driver: ReturnType<typeof alone>["driver"], most = 20): Promise<number> {
  let turns = 0;
  while (turns < most && (await driver.admitTurn()).kind === "proceed") {
    turns += 1;
    driver.turnEnded();
  }
  return turns;
}

test("a run that goes on by itself says so, also if that was noticed between two turns", async () => {
  const { pool, control } = failing({ turns: 5, unreachable: "local" });
  const { driver, warnings } = alone({ pool });
  await turns(driver, 2);
  control.fails = true;
  await driver.shared.settle();
  expect(await turns(driver)).toBe(3);
  expect(warnings).toEqual([expect.stringContaining("cannot be used")]);
});

test("a run that goes on by itself does so with other limits, too", async () => {
  const { pool, control, store } = failing({ turns: 5, unreachable: "local" });
  const { driver } = alone({ pool });
  await turns(driver, 1);
  control.fails = true;
  await turns(driver, 1);
  driver.configure({
    pool: createPool({ id: pool.id, zone: "UTC", turns: 4, store, unreachable: "local" }),
  });
  expect(await turns(driver)).toBe(2);
});

test("a run that goes on by itself has what is left of today, not of all days", async () => {
  const { pool, control, time } = failing({ turns: 5, per: "day", unreachable: "local" });
  const { driver } = alone({ pool });
  expect(await turns(driver, 4)).toBe(4);
  time.now += 86_400_000;
  expect(await turns(driver, 2)).toBe(2);
  control.fails = true;
  expect(await turns(driver)).toBe(3);
});

test.each(["local", "ask"] as const)(
  "with `%s`, a store that can be used again is told at the end of a run what it used by itself, and the next run draws from it [ComesBack]",
  async (unreachable) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { pool, control, standing } = failing({ turns: 10, unreachable });
    const ask = unreachable === "ask" ? () => true : undefined;
    const { driver, warnings } = alone({ pool, ask });
    expect(await turns(driver, 2)).toBe(2);
    control.fails = true;
    expect(await turns(driver, 3)).toBe(3);
    control.fails = false;
    expect(await turns(driver, 1)).toBe(1);
    expect((await standing()).settled).toEqual({ turns: 2 });
    driver.end();
    await driver.shared.done();
    expect(await standing()).toEqual({ settled: { turns: 6 }, held: {}, agents: 0 });
    // Others draw from it, too.
    const other = alone({ pool }).driver;
    expect(await turns(other, 3)).toBe(3);
    driver.begin();
    expect(await turns(driver, 1)).toBe(1);
    expect((await standing()).settled).toEqual({ turns: 10 });
    // It is lost again, at the end of the run.
    control.fails = true;
    driver.end();
    await driver.shared.done();
    expect((await standing()).agents).toBe(2);
    expect(warnings).toContainEqual(expect.stringMatching(/^What the run used last is not counted yet/));
    control.fails = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await standing()).agents).toBe(1);
  },
);

test("while the store is away, each run goes on with what is left after all that came before", async () => {
  const { pool, control, standing } = failing({ turns: 5, unreachable: "local" });
  const { driver } = alone({ pool });
  control.fails = true;
  const taken: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    taken.push(await turns(driver, 3));
    driver.end();
    await driver.shared.done();
    driver.begin();
  }
  expect(taken).toEqual([3, 2, 0]);
  control.fails = false;
  driver.end();
  await driver.shared.done();
  expect((await standing()).settled).toEqual({ turns: 5 });
});

test("no call begins while the store of a pool that counts calls cannot be used, or the pool is frozen", async () => {
  const { pool, control, standing } = failing({ turns: 5, steps: 5 });
  const { driver } = alone({ pool });
  const refusal = (id: string) => driver.refusal({ id, tool: "read" });
  await driver.admitTurn();
  expect(await refusal("1")).toBeUndefined();
  control.fails = true;
  expect(await refusal("2")).toContain("cannot be used: Gone.");
  control.fails = false;
  expect(await refusal("3")).toBeUndefined();
  await pool.freeze("Lunch.");
  expect(await refusal("4")).toContain("is frozen: Lunch.");
  await pool.unfreeze();
  expect(await refusal("5")).toBeUndefined();
  expect(driver.end()).toMatchObject({ steps: 3 });
  await driver.shared.done();
  expect((await standing()).settled).toEqual({ turns: 1, steps: 3 });
});

test("what could not be given back is given back when the store can be reached again", async () => {
  const { pool, control, standing } = failing({ turns: 5 });
  const full = aPool({ turns: 0 });
  const { take } = full.store;
  full.store.take = (request) => {
    control.fails = true;
    return take(request);
  };
  const { driver } = alone({ pool: [pool, full.pool] });
  expect(await turns(driver)).toBe(0);
  control.fails = false;
  driver.end();
  await driver.shared.done();
  expect(await standing()).toEqual({ settled: {}, held: {}, agents: 0 });
});

test("what a run used last is told to be missing, and is delivered once the store can be reached again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool, control, standing } = failing({ turns: 5, tokens: 1_000, estimate: { tokens: 10 } });
  const { driver, warnings } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded({ usage: { input: 70, output: 0 } });
  control.fails = true;
  driver.end();
  await driver.shared.done();
  expect(warnings).toEqual([
    `What the run used last is not counted yet. It is sent again for as long as this process runs. The store of pool ${pool.id} cannot be used: Gone.`,
  ]);
  for (let attempt = 0; attempt < 9; attempt += 1) await vi.advanceTimersByTimeAsync(60_000);
  expect(await standing()).toEqual({ settled: { turns: 1 }, held: { tokens: 10 }, agents: 1 });
  control.fails = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await standing()).toEqual({ settled: { turns: 1, tokens: 70 }, held: {}, agents: 0 });
  expect(vi.getTimerCount()).toBe(0);
  expect(warnings).toHaveLength(1);
});

test("what a run used last is settled by its next prompt, and not again after that", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool, control, standing } = failing({ turns: 5, tokens: 1_000, estimate: { tokens: 10 } });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded({ usage: { input: 70, output: 0 } });
  control.fails = true;
  driver.end();
  await driver.shared.done();
  control.fails = false;
  driver.begin();
  await driver.admitTurn();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await standing()).toEqual({
    settled: { turns: 2, tokens: 70 },
    held: { tokens: 10 },
    agents: 1,
  });
});

test("a store that is slower than a member speaks up delays its next turn by one request", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool, store } = aPool({ turns: 5, lease: 3_000 });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  let answered = () => {};
  const waits = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const { take } = store;
  let requests = 0;
  store.take = async (request) => {
    requests += 1;
    await waits;
    return take(request);
  };
  vi.advanceTimersByTime(60_000);
  driver.turnEnded();
  const admission = driver.admitTurn();
  answered();
  expect((await admission).kind).toBe("proceed");
  expect(requests).toBe(2);
});

test("a pool that is kept for a while is kept while it is in use", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const pool = createPool({
    ...{ id: "kept", turns: 9, keepFor: 999.5, lease: 900 },
    store: memoryStore({ now: () => Date.now() }),
  });
  const [one, other] = [alone({ pool }).driver, alone({ pool }).driver];
  await turns(one, 1);
  for (let turn = 0; turn < 3; turn += 1) {
    vi.setSystemTime(Date.now() + 600);
    await turns(other, 1);
  }
  expect((await pool.read()).limits).toEqual([{ limit: "turns", used: 4, max: 9 }]);
  await turns(one, 1);
  vi.setSystemTime(Date.now() + 999);
  expect((await pool.read()).limits).toEqual([{ limit: "turns", used: 5, max: 9 }]);
  vi.setSystemTime(Date.now() + 1);
  expect((await pool.read()).limits).toEqual([{ limit: "turns", used: 0, max: 9 }]);
});

test("a pool is kept for as long as a member may be silent", async () => {
  const { pool, time } = aPool({ turns: 2, keepFor: 0.2, lease: 1_000 });
  const { driver } = alone({ pool });
  await turns(driver, 1);
  time.now += 999;
  expect((await pool.read()).limits).toEqual([{ limit: "turns", used: 1, max: 2 }]);
});
