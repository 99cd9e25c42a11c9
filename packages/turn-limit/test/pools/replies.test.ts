import { expect, test, vi } from "vitest";
import { alone, driven } from "../helpers/driven.ts";
import { named } from "../helpers/named.ts";
import { rest } from "../helpers/person.ts";
import { aPool } from "./a-pool.ts";

test.each([["yes"], [""], [0], [7], [null], [{ more: 0.5 }], [{ more: -3 }], [{}]])(
  "a bad reply, %j, is a no, and extends nothing",
  async (reply) => {
    const { pool } = aPool({ turns: 2 });
    const { driver } = alone({ pool, ask: () => reply as never });
    for (let turn = 0; turn < 2; turn += 1) {
      await driver.admitTurn();
      driver.turnEnded();
    }
    expect((await driver.admitTurn()).kind).toBe("stop");
    expect(driver.end()?.kind).toBe("declined");
    expect((await pool.read()).limits).toEqual([{ limit: "turns", used: 2, max: 2 }]);
  },
);

test("a bad reply in the middle of a turn extends nothing, and one given unasked is refused", async () => {
  const { pool } = aPool({ time: 5_000 });
  const { driver, clock, person } = driven({ pool });
  await driver.admitTurn();
  clock.pass(5_000);
  await rest();
  await person.replies("yes" as never);
  expect(driver.signal.aborted).toBe(true);
  await expect(driver.allow(`time of pool ${pool.id}`, { more: -1 })).rejects.toThrow("reply.more");
  expect((await pool.read()).limits).toEqual([{ limit: "time", used: 5_000, max: 5_000 }]);
});

test("a yes that several turns wait for admits one round", async () => {
  const { pool } = aPool({ turns: 1 });
  const { driver, person } = driven({ pool });
  await driver.admitTurn();
  driver.turnEnded();
  const admissions = [driver.admitSubAgentTurn(), driver.admitSubAgentTurn()];
  await rest();
  await person.replies(true);
  await rest();
  expect(person.asked).toHaveLength(2);
  await person.replies(false);
  expect((await Promise.all(admissions)).map(({ kind }) => kind)).toEqual(["proceed", "stop"]);
  expect((await pool.read()).limits).toEqual([{ limit: "turns", used: 2, max: 2 }]);
});

test("a yes that the pool hears when its run is over does not end the next run", async () => {
  const { pool, store } = aPool({ time: 5_000 });
  const { driver, clock, person } = driven({ pool });
  await driver.admitTurn();
  clock.pass(5_000);
  await rest();
  let heard = () => {};
  const { change } = store;
  store.change = async (...given) => {
    await new Promise<void>((resolve) => {
      heard = resolve;
    });
    return change(...given);
  };
  await person.replies(true);
  driver.begin();
  const admission = driver.admitTurn();
  heard();
  expect((await admission).kind).toBe("proceed");
  await rest();
  expect(driver.signal.aborted).toBe(false);
});

test("a question about time in the middle of a turn closes when somebody else allows more", async () => {
  const { pool, store } = aPool({ time: 1_000 });
  const { driver, clock, person } = driven({ pool });
  const { look } = store;
  let seen = () => {};
  const looked = () =>
    new Promise<void>((resolve) => {
      seen = resolve;
    });
  store.look = async (record) => {
    const found = await look(record);
    seen();
    return found;
  };
  await driver.admitTurn();
  clock.pass(1_000);
  for (let looks = 0; looks < 3; looks += 1) await looked();
  expect(person.last.signal.aborted).toBe(false);
  await pool.extend("time", 5_000);
  await expect.poll(() => driver.view.question).toBeNull();
  expect(person.last.signal.aborted).toBe(true);
  clock.pass(4_999);
  await rest();
  expect(person.asked).toHaveLength(1);
  clock.pass(1);
  await rest();
  expect(person.asked).toHaveLength(2);
  await person.replies(false);
  expect(driver.signal.aborted).toBe(true);
});

test("a part of a turn is refused as a reply, and a part of a dollar is not", async () => {
  const { pool } = aPool({ turns: 2, cost: 5 });
  const asked = (kind: "turns" | "cost") =>
    pool.ask(
      { kind: "ask", id: 1, ...named(kind, { pool: pool.id }), used: 2, max: 2 },
      new AbortController().signal,
    );
  const replies = Promise.all([asked("turns"), asked("cost")]);
  await vi.waitFor(async () => expect((await pool.read()).questions).toHaveLength(2));
  const { questions } = await pool.read();
  const [turns, cost] = ["turns", "cost"].map(
    (kind) => questions.find(({ identity }) => identity?.kind === kind)?.id ?? "",
  ) as [string, string];
  await expect(pool.answer(turns, { more: 2.5 })).rejects.toThrow(/reply\.more must be a whole number.*2\.5/);
  expect(await pool.answer(turns, { more: 3 })).toBe(true);
  expect(await pool.answer(cost, { more: 2.5 })).toBe(true);
  expect(await replies).toEqual([{ more: 3 }, { more: 2.5 }]);
});
