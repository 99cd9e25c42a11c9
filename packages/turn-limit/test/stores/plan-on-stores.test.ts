import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createPool, type Store } from "../../src/index.ts";
import { redisStore } from "../../src/pools/stores/redis/index.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { alone, driven } from "../helpers/driven.ts";
import { RedisServer } from "./helpers/redis-server.ts";
import { withRedis } from "./helpers/with-redis.ts";

/** Two processes that have the store open: what one is told of a window stops the other, until a person allows more. */
async function sharesAPlan(open: () => Store): Promise<void> {
  const [one, other] = [open(), open()];
  onTestFinished(() => Promise.all([one.close(), other.close()]).then(() => undefined));
  const planIn = (store: Store) => createPool({ id: "plan", plan: { "5h": 80 }, store });
  const resets = (await one.now()) + 3_600_000;
  const told = (used: number) => ({ windows: [{ subscription: "anthropic", window: "5h", used, resets }] });
  const asked = driven({ pool: planIn(one), ask: () => ({ more: 10 }) }).driver;
  await asked.admitTurn();
  asked.turn.answered(told(80));
  await asked.shared.settle();
  expect((await alone({ pool: planIn(other) }).driver.admitTurn()).kind).toBe("stop");
  expect((await asked.admitTurn()).kind).toBe("proceed");
  expect((await planIn(other).read()).limits).toEqual([{ limit: "plan per 5h", used: 80, max: 90 }]);
  const next = alone({ pool: planIn(other) }).driver;
  expect((await next.admitTurn()).kind).toBe("proceed");
  next.turn.answered(told(90));
  await next.shared.settle();
  expect((await next.admitTurn()).kind).toBe("stop");
}

test("processes share what is told of a plan in a file [PlanIsShared]", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plan-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await sharesAPlan(() => sqliteStore(join(folder, "pools.sqlite")));
});

withRedis(() => {
  test("processes share what is told of a plan on a server [PlanIsShared]", async () => {
    const server = await RedisServer.start();
    onTestFinished(() => server[Symbol.asyncDispose]());
    await sharesAPlan(() => redisStore(server.address));
  });
});
