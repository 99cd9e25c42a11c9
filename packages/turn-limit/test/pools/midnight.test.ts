import { expect, test } from "vitest";
import { alone } from "../helpers/driven.ts";
import { named } from "../helpers/named.ts";
import { aPool } from "./a-pool.ts";

const answer = (input: number) => ({ usage: { input, output: 0 } });
const DAY = 86_400_000;

test("at midnight a run goes on with the new day, and what it used before counts for the day before [PeriodMovesOn]", async () => {
  const { pool, standing, time } = aPool({ tokens: 100, turns: 2, per: "day" });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded(answer(80));
  await driver.admitTurn();
  time.now += DAY;
  driver.turnEnded(answer(30));
  expect((await driver.admitTurn()).kind).toBe("proceed");
  driver.turnEnded(answer(5));
  driver.end();
  await driver.shared.done();
  expect(await standing("2026-01-05")).toEqual({ settled: { tokens: 110, turns: 2 }, held: {}, agents: 0 });
  expect(await standing("2026-01-06")).toEqual({ settled: { tokens: 5, turns: 1 }, held: {}, agents: 0 });
});

test("a run that ends after midnight leaves the day in which it took its last turn, and no other", async () => {
  const { pool, standing, time, store } = aPool({ tokens: 100, per: "day", estimate: { tokens: 20 } });
  const { driver } = alone({ pool });
  await driver.admitTurn();
  time.now += DAY;
  driver.turnEnded(answer(30));
  driver.end();
  await driver.shared.done();
  expect(await standing("2026-01-05")).toEqual({ settled: { tokens: 30 }, held: {}, agents: 0 });
  expect(await store.list()).toEqual([`${pool.id}@2026-01-05`]);
});

test("a question that is open at midnight closes, because the new day has room [RoomEndsTheQuestion]", async () => {
  const { pool, time } = aPool({ turns: 1, per: "day" });
  const ask = () =>
    new Promise<boolean>(() => {
      time.now += DAY;
    });
  const { driver } = alone({ pool, ask });
  await driver.admitTurn();
  driver.turnEnded();
  expect((await driver.admitTurn()).kind).toBe("proceed");
});

test("a question to whoever watches is asked again on the new day [WatchersAskedAgain]", async () => {
  const { pool, time } = aPool({ turns: 0, per: "day", askFor: "forever" });
  const over = new AbortController();
  const days: (string | undefined)[] = [];
  const watching = pool.watch(({ period, questions: [question] }) => {
    if (!question || days.includes(period)) return;
    days.push(period);
    if (days.length === 1) time.now += DAY;
    else void pool.answer(question.id, true);
  }, over.signal);
  expect(await pool.ask({ kind: "ask", id: 1, ...named("turns"), used: 5, max: 5 }, over.signal)).toBe(true);
  over.abort();
  await watching;
  expect(days).toEqual(["2026-01-05", "2026-01-06"]);
});

test("a store that fails in the middle of the change of days is told nothing twice [PeriodMovesOn]", async () => {
  const { pool, store, standing, time } = aPool({ tokens: 100, per: "day" });
  const { take } = store;
  let requests = 0;
  store.take = async (request) => {
    requests += 1;
    // The third is the first one of the new day.
    if (requests === 4) throw new Error("Gone.");
    return take(request);
  };
  const { driver } = alone({ pool });
  await driver.admitTurn();
  time.now += DAY;
  driver.turnEnded(answer(30));
  expect((await driver.admitTurn()).kind).toBe("stop");
  driver.begin();
  expect((await driver.admitTurn()).kind).toBe("proceed");
  driver.turnEnded(answer(7));
  driver.end();
  await driver.shared.done();
  expect((await standing("2026-01-05")).settled).toEqual({ tokens: 30 });
  expect((await standing("2026-01-06")).settled).toEqual({ tokens: 7 });
});

test("a call of yesterday that is denied today takes nothing off what others used today", async () => {
  const { pool, standing, time } = aPool({ steps: 5, per: "day" });
  const [one, other] = [alone({ pool }).driver, alone({ pool }).driver];
  const call = (id: string) => ({ id, tool: "read" });
  await one.refusal(call("1"));
  time.now += 86_400_000;
  await other.refusal(call("2"));
  await one.admitSubAgentTurn();
  one.stepDenied(call("1"));
  await one.shared.settle();
  expect((await standing("2026-01-06")).settled).toEqual({ steps: 1 });
});
