import { expect, test } from "vitest";
import type { Pool, RequestKind } from "../../src/index.ts";
import { driven } from "../helpers/driven.ts";
import { Driver } from "../helpers/driver.ts";
import { rest } from "../helpers/person.ts";
import { aPool } from "./a-pool.ts";

/** Sends requests until one may not begin. How many began. */
async function send(pool: Pool, kinds: RequestKind[]): Promise<number> {
  const driver = new Driver({ pool, turns: "unlimited" });
  driver.begin();
  let sent = 0;
  for (const as of kinds) {
    const { kind } = await driver.admitTurn(undefined, { as });
    if (kind === "stop") break;
    sent += 1;
    driver.turnEnded();
  }
  driver.end();
  await driver.shared.done();
  return sent;
}

test("a pool admits as many requests as it says, of every kind and of runs at once", async () => {
  const { pool } = aPool({ requests: 5 });
  const kinds: RequestKind[] = ["turn", "aside", "retry", "aside"];
  const sent = await Promise.all([send(pool, kinds), send(pool, kinds), send(pool, kinds)]);
  expect(sent.reduce((all, one) => all + one)).toBe(5);
  expect((await pool.read()).limits).toEqual([{ limit: "requests", used: 5, max: 5 }]);
});

test("of a pool's turns, retries and requests besides the turns take none", async () => {
  const { pool } = aPool({ turns: 2, requests: 10 });
  expect(await send(pool, ["turn", "aside", "retry", "turn", "aside", "retry", "turn", "aside"])).toBe(6);
  expect((await pool.read()).limits).toEqual([
    { limit: "turns", used: 2, max: 2 },
    { limit: "requests", used: 6, max: 10 },
  ]);
});

test("the last answer is a turn and a request of the pool, and once more it is a request only", async () => {
  const { pool } = aPool({ turns: { max: 1, headless: "synthesize" }, requests: 10 });
  const driver = new Driver({ pool });
  driver.begin();
  await driver.admitTurn();
  driver.turnEnded();
  expect((await driver.admitTurn()).kind).toBe("synthesize");
  driver.turnEnded("failed");
  expect((await driver.admitTurn()).kind).toBe("synthesize");
  driver.turnEnded();
  expect(driver.end()?.kind).toBe("salvaged");
  await driver.shared.done();
  expect((await pool.read()).limits).toMatchObject([{ used: 2 }, { used: 3 }]);
});

test("a request besides the turns leaves the question alone that a turn waits for", async () => {
  const { pool } = aPool({ turns: 1 });
  const { driver, person } = driven({ pool });
  await driver.admitTurn();
  driver.turnEnded();
  const held = driver.admitTurn();
  while (person.asked.length === 0) await rest();
  expect((await driver.admitTurn(undefined, { as: "aside" })).kind).toBe("proceed");
  driver.turnEnded();
  expect(person.last.signal.aborted).toBe(false);
  person.last.reply("unanswered");
  expect(await held).toMatchObject({ kind: "stop", outcome: "stopped" });
  expect([person.asked.length, driver.end()?.kind]).toEqual([1, "stopped"]);
  await driver.shared.done();
  expect((await pool.read()).limits).toMatchObject([{ used: 1, max: 1 }]);
});
