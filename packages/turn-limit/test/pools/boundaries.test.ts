import { expect, test } from "vitest";
import { createPool } from "../../src/index.ts";
import { alone, driven } from "../helpers/driven.ts";
import type { Driver } from "../helpers/driver.ts";
import { rest } from "../helpers/person.ts";
import { aPool } from "./a-pool.ts";

const answer = (input: number) => ({ usage: { input, output: 0 } });

test("where the run's own limit is used up as well, both are asked about, one after the other", async () => {
  const { pool } = aPool({ turns: 1 });
  const asked: string[] = [];
  const ask = ({ limit }: { limit: string }) => asked.push(limit) < 3;
  const { driver } = alone({ turns: 1, pool, ask });
  await driver.admitTurn();
  driver.turnEnded();
  expect((await driver.admitTurn()).kind).toBe("proceed");
  expect(asked).toEqual(["turns", `turns of pool ${pool.id}`]);
  expect((await pool.read()).limits).toEqual([{ limit: "turns", used: 2, max: 2 }]);
});

test("after a yes the question says how much the next one allows: what the pool was made with, not what it has by now", async () => {
  const { pool } = aPool({ turns: 2 });
  const { driver, person } = driven({ pool });
  const asked = () => ({ max: person.last.ask.max, round: person.last.ask.round });
  const used = async () => {
    await driver.admitTurn();
    driver.turnEnded();
  };
  await used();
  await used();
  const held = driver.admitTurn();
  await rest();
  expect(asked()).toEqual({ max: 2, round: undefined });
  await person.replies(true);
  await held;
  driver.turnEnded();
  await used();
  void driver.admitTurn();
  await rest();
  expect(asked()).toEqual({ max: 4, round: 2 });
  await person.replies(true);
  await settledPool(driver);
  expect((await pool.read()).limits).toEqual([{ limit: "turns", used: 5, max: 6 }]);
});

test("a reply that wants the agent to wrap up allows one more turn, which counts, and extends nothing", async () => {
  const { pool } = aPool({ turns: 1 });
  const { driver } = alone({ pool, ask: () => "wrap-up" });
  await driver.admitTurn();
  driver.turnEnded();
  expect((await driver.admitTurn()).kind).toBe("wrap-up");
  expect((await pool.read()).limits).toEqual([{ limit: "turns", used: 2, max: 1 }]);
});

test("a question in the middle of a turn stays open while nobody allows more", async () => {
  const { pool } = aPool({ time: 5_000, lookEvery: 1 });
  const { driver, clock, person } = driven({ pool });
  await driver.admitTurn();
  clock.pass(5_000);
  await rest();
  const { ask } = person.last;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(person.last.ask).toBe(ask);
  await person.replies(false);
  expect(driver.signal.aborted).toBe(true);
});

test("the time of a pool is up in the middle of a turn: a yes allows more, a no cuts off", async () => {
  const { pool } = aPool({ time: 5_000 });
  const { driver, clock, person } = driven({ pool });
  await driver.admitTurn();
  clock.pass(5_000);
  await rest();
  expect(person.last.ask).toMatchObject({ limit: `time of pool ${pool.id}`, used: 5_000, max: 5_000 });
  await person.replies(true);
  await settledPool(driver);
  expect(driver.signal.aborted).toBe(false);
  expect((await pool.read()).limits).toEqual([{ limit: "time", used: 5_000, max: 10_000 }]);
  clock.pass(5_000);
  await rest();
  await person.replies(false);
  expect(driver.signal.aborted).toBe(true);
});

async function settledPool(driver: Pick<Driver, "shared">): Promise<void> {
  await rest();
  await driver.shared.done();
  await rest();
}

test("what others use of the time of a pool shortens the turn that is under way", async () => {
  const { pool } = aPool({ time: 9_000 });
  const { driver, clock } = alone({ pool });
  await driver.admitTurn();
  const other = alone({ pool });
  await other.driver.admitTurn();
  other.clock.pass(6_000);
  other.driver.turnEnded();
  other.driver.end();
  await other.driver.shared.done();
  await driver.shared.settle();
  clock.pass(3_000);
  await rest();
  expect(driver.signal.aborted).toBe(true);
});

test("a pool that is given again with other limits is the same pool, once they are the pool's", async () => {
  const { pool, store, standing } = aPool({ turns: 1, tokens: 100, estimate: { tokens: 10 } });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded(answer(30));
  const larger = createPool({ id: pool.id, turns: 3, tokens: 200, store, zone: "UTC" });
  await larger.redefine();
  driver.configure({ pool: larger });
  expect((await driver.admitTurn()).kind).toBe("proceed");
  expect((await standing()).settled).toEqual({ turns: 2, tokens: 30 });
  driver.turnEnded(answer(20));
  expect((await driver.admitTurn()).kind).toBe("proceed");
  driver.turnEnded(answer(20));
  expect((await driver.admitTurn()).kind).toBe("stop");
});

test("a pool that is given in place of another takes what is used from now on", async () => {
  const [one, other] = [aPool({ tokens: 100 }), aPool({ tokens: 100 })];
  const { driver } = alone({ pool: one.pool });
  await driver.admitTurn();
  driver.turnEnded(answer(30));
  driver.configure({ pool: other.pool });
  await driver.admitTurn();
  driver.turnEnded(answer(20));
  driver.end();
  await driver.shared.done();
  expect(await one.standing()).toEqual({ settled: { tokens: 30 }, held: {}, agents: 0 });
  expect(await other.standing()).toEqual({ settled: { tokens: 20 }, held: {}, agents: 0 });
});

test("of several pools, one that refuses costs the others nothing [WaitingMemberLetsGo]", async () => {
  const [roomy, full] = [aPool({ turns: 5, tokens: 9, estimate: { tokens: 3 } }), aPool({ turns: 0 })];
  const { driver } = alone({ pool: [roomy.pool, full.pool] });
  expect((await driver.admitTurn()).kind).toBe("stop");
  expect(await roomy.standing()).toMatchObject({ settled: {}, held: {} });
});

test("a run at the limits of two pools asks whoever watches one question at a time [WatchersAsked] [OnePoolQuestionPerMember]", async () => {
  const [{ pool }, { pool: other }] = [aPool({ turns: 1 }), aPool({ turns: 1 })];
  const open: string[][] = [];
  const over = new AbortController();
  const watching = pool.watch(({ questions }) => {
    if (questions.length > 0) open.push(questions.map(({ limit }) => limit));
    for (const { id } of questions) void pool.answer(id, true);
  }, over.signal);
  const { driver } = alone({ pool: [pool, other], ask: pool.ask });
  await driver.admitTurn();
  driver.turnEnded();
  expect((await driver.admitTurn()).kind).toBe("proceed");
  over.abort();
  await watching;
  expect(open).toEqual([[`turns of pool ${pool.id}`], [`turns of pool ${other.id}`]]);
});
