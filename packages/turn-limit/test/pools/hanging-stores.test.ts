import { expect, onTestFinished, test, vi } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { alone } from "../helpers/driven.ts";
import { rest } from "../helpers/person.ts";
import { aPool } from "./a-pool.ts";

const never = () => new Promise<never>(() => {});

test("a turn that is aborted does not wait for the store, and what is granted later is given back", async () => {
  const { pool, store, standing } = aPool({ turns: 5 });
  const { take } = store;
  let answered = () => {};
  const waits = new Promise<void>((resolve) => {
    answered = resolve;
  });
  store.take = async (request) => {
    await waits;
    return take(request);
  };
  const { driver } = alone({ pool });
  const abort = new AbortController();
  const admission = driver.admitTurn(abort.signal);
  await rest();
  abort.abort();
  expect((await admission).kind).toBe("stop");
  expect(driver.end("aborted")).toMatchObject({ kind: "aborted", turns: 0 });
  answered();
  await driver.shared.done();
  expect(await standing()).toEqual({ settled: {}, held: {}, agents: 0 });
});

test("a store that takes no question, or no yes, does not hang the run", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool } = aPool({ turns: 1, lookEvery: 5_000, store: { ...memoryStore(), change: never } });
  let asked = 0;
  const once = () => {
    asked += 1;
    return asked === 1;
  };
  for (const ask of [pool.ask, once]) {
    const { driver } = alone({ pool, ask });
    const admissions = Promise.all([driver.admitTurn(), driver.admitTurn()]);
    for (let waited = 0; waited < 10; waited += 1) await vi.advanceTimersByTimeAsync(15_000);
    expect((await admissions).map(({ kind }) => kind)).toContain("stop");
    driver.end();
  }
  const read = expect(pool.freeze()).rejects.toThrow("It does not answer");
  await vi.advanceTimersByTimeAsync(15_000);
  await read;
});

test("a question is not lost with a look at the store that fails", async () => {
  const { pool, store } = aPool({ turns: 1 });
  const { look } = store;
  let looks = 0;
  store.look = async (record) => {
    looks += 1;
    if (looks % 3 !== 0) throw new Error("The connection was lost.");
    if (looks === 9)
      await pool.answer(Object.keys((await look(record)).totals?.state.questions ?? {})[0] ?? "", true);
    return look(record);
  };
  const { driver } = alone({ pool, ask: pool.ask });
  await driver.admitTurn();
  driver.turnEnded();
  expect((await driver.admitTurn()).kind).toBe("proceed");
});
