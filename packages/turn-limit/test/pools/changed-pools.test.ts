import { expect, test } from "vitest";
import { Run } from "../../src/run/index.ts";
import { alone } from "../helpers/driven.ts";
import { rest } from "../helpers/person.ts";
import { aPool } from "./a-pool.ts";

/** Two pools. The first answers when it is told to, and somebody has used one turn of the second. */
async function twoPools() {
  const [first, second] = [aPool({ turns: 5 }), aPool({ turns: 5 })];
  const other = alone({ pool: second.pool }).driver;
  await other.admitTurn();
  other.end();
  await other.shared.done();
  const { take } = first.store;
  let answered = () => {};
  const waits = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const hold = () => {
    first.store.take = async (request) => {
      const taken = await take(request);
      await waits;
      return taken;
    };
  };
  return { first, second, hold, answered };
}

const nothing = { settled: {}, held: {}, agents: 0 };
const ofOther = { settled: { turns: 1 }, held: {}, agents: 0 };

test("a turn that is aborted while its pool is replaced is given back to the pool that granted it", async () => {
  const { first, second, hold, answered } = await twoPools();
  const { driver } = alone({ pool: first.pool });
  hold();
  const abort = new AbortController();
  const admission = driver.admitTurn(abort.signal);
  await rest();
  driver.configure({ pool: second.pool });
  abort.abort();
  answered();
  expect((await admission).kind).toBe("stop");
  driver.end();
  await driver.shared.done();
  expect([await first.standing(), await second.standing()]).toEqual([nothing, ofOther]);
});

test("a turn that waits while its pool is replaced is granted by the new one", async () => {
  const { first, second, hold, answered } = await twoPools();
  const { driver } = alone({ pool: first.pool });
  hold();
  const admission = driver.admitTurn();
  await rest();
  driver.configure({ pool: second.pool });
  answered();
  expect((await admission).kind).toBe("proceed");
  driver.end();
  await driver.shared.done();
  expect(await first.standing()).toEqual(nothing);
  expect(await second.standing()).toEqual({ ...ofOther, settled: { turns: 2 } });
});

test("a pool that is deleted is gone with all its days, and members at work are told once", async () => {
  const { pool, store, time } = aPool({ turns: 2, per: "day" });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded();
  time.now += 86_400_000;
  await driver.admitTurn();
  driver.turnEnded();
  expect(await store.list()).toHaveLength(2);
  expect(await pool.delete()).toBe(true);
  expect(await store.list()).toEqual([]);
  expect(await pool.delete()).toBe(false);
  expect(await driver.admitTurn()).toMatchObject({ kind: "stop" });
  expect(driver.end()?.why).toContain("has lost counts");
  driver.begin();
  expect((await driver.admitTurn()).kind).toBe("proceed");
});

test("a call from before a reset that is denied gives nothing back of what was counted after it", async () => {
  const { pool, standing } = aPool({ turns: 9, steps: 9 });
  const run = new Run({ pool });
  run.begin();
  const turn = await run.nextTurn();
  if (turn.kind === "stop") throw new Error("stopped");
  turn.answered({});
  const before = await turn.call({ id: "1", tool: "read" });
  await pool.reset();
  const after = await turn.call({ id: "2", tool: "read" });
  if (before.kind === "refused" || after.kind === "refused") throw new Error("refused");
  expect((await standing()).settled).toEqual({ steps: 1 });
  before.denied();
  await run.shared.settle();
  expect((await standing()).settled).toEqual({ steps: 1 });
  after.denied();
  await run.shared.settle();
  expect((await standing()).settled).toEqual({});
});
