import { expect, test } from "vitest";
import { alone } from "../helpers/driven.ts";
import { aPool } from "./a-pool.ts";

const answer = (input: number) => ({ usage: { input, output: 0 } });

/** A pool whose store does what it is asked, and whose answer to the n-th request is lost. */
function losing(...lost: number[]) {
  const scene = aPool({ turns: 9, tokens: 1_000 });
  const { take } = scene.store;
  let requests = 0;
  scene.store.take = async (request) => {
    requests += 1;
    const isLost = lost.includes(requests);
    const taken = await take(request);
    if (isLost) throw new Error("The connection was lost.");
    return taken;
  };
  return scene;
}

test("a reservation whose answer is lost is granted once, and given back if its turn did not begin [RequestRepeated]", async () => {
  const { pool, standing } = losing(2);
  const { driver } = alone({ pool });
  await driver.admitTurn();
  driver.turnEnded(answer(30));
  expect((await driver.admitTurn()).kind).toBe("stop");
  driver.begin();
  expect((await driver.admitTurn()).kind).toBe("proceed");
  driver.turnEnded(answer(5));
  driver.end();
  await driver.shared.done();
  expect(await standing()).toEqual({ settled: { turns: 2, tokens: 35 }, held: {}, agents: 0 });
});

test("however many answers are lost, everything is told once [RequestRepeated]", async () => {
  const { pool, standing } = losing(2, 3, 4, 7);
  const { driver } = alone({ pool });
  let turns = 0;
  for (let prompt = 0; prompt < 9; prompt += 1) {
    driver.begin();
    if ((await driver.admitTurn()).kind === "stop") continue;
    driver.turnEnded(answer(10));
    turns += 1;
  }
  driver.end();
  await driver.shared.done();
  expect(turns).toBeGreaterThan(3);
  expect(await standing()).toEqual({ settled: { turns, tokens: 10 * turns }, held: {}, agents: 0 });
});
