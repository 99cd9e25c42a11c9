import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createClient } from "redis";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createPool, type Store } from "../../src/index.ts";
import { redisStore } from "../../src/pools/stores/redis/index.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { testMember } from "../../src/testing/store-contract/test-member.ts";
import { alone } from "../helpers/driven.ts";
import { HoldingProxy } from "./helpers/holding-proxy.ts";
import { RedisServer } from "./helpers/redis-server.ts";
import { withRedis } from "./helpers/with-redis.ts";

const folder = mkdtempSync(join(tmpdir(), "turn-limit-late-"));
afterAll(() => rmSync(folder, { recursive: true }));

const OUTAGES = 6;
const MAX = 10;
/** Longer than a busy machine takes for a request that is not held, in milliseconds. */
const PATIENCE = 2_000;

/** Takes a turn, in the run that is under way or in the next one. Was it granted? */
async function takesTurn({ driver }: ReturnType<typeof alone>): Promise<boolean> {
  if (driver.view.outcome?.kind !== "completed") driver.begin();
  const { kind } = await driver.admitTurn();
  if (kind === "proceed") driver.turnEnded();
  return kind === "proceed";
}

async function settledTurns(store: Store): Promise<number> {
  return (await store.read("shared"))?.settled.turns ?? 0;
}

/** Takes all that is left, by runs of their own. How many turns that was. */
async function takeTheRest(store: Store): Promise<number> {
  const member = alone({ pool: createPool({ id: "shared", turns: MAX, store }), turns: "unlimited" });
  let taken = 0;
  while (await takesTurn(member)) taken += 1;
  return taken;
}

withRedis(() => {
  async function setUp() {
    const server = await RedisServer.start();
    const proxy = await HoldingProxy.to(server.port);
    const direct = redisStore(server.address);
    onTestFinished(async () => {
      await direct.close();
      proxy[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    });
    return { server, proxy, direct };
  }

  test("what was given up in an outage is not done when it arrives: no turn is lost [LateRequestChangesNothing]", async () => {
    const { proxy, direct } = await setUp();
    const store = redisStore(proxy.address, { timeout: PATIENCE });
    onTestFinished(() => store.close());
    let granted = 0;
    for (let outage = 0; outage < OUTAGES; outage += 1) {
      // Each of them is over when the network comes back, as a process that ended is.
      const member = alone({ pool: createPool({ id: "shared", turns: MAX, store }), turns: "unlimited" });
      if (await takesTurn(member)) granted += 1;
      proxy.hold();
      expect(await takesTurn(member)).toBe(false);
      expect(await proxy.deliver()).toBeGreaterThan(0);
    }
    expect([granted, await settledTurns(direct)]).toEqual([OUTAGES, OUTAGES]);
    expect(await takeTheRest(direct)).toBe(MAX - OUTAGES);
  });

  test("a request that arrives after later ones takes nothing back: 10 of 10 are granted [LateRequestChangesNothing]", async () => {
    const { proxy, direct } = await setUp();
    const store = redisStore(proxy.address, { timeout: PATIENCE });
    onTestFinished(() => store.close());
    const pool = createPool({ id: "shared", turns: MAX, store });
    const member = alone({ pool, turns: "unlimited" });
    let granted = Number(await takesTurn(member));
    for (let outage = 0; outage < 3; outage += 1) {
      proxy.hold();
      expect(await takesTurn(member)).toBe(false);
      proxy.goOn();
      granted += Number(await takesTurn(member));
      await proxy.deliver();
      granted += Number(await takesTurn(member));
    }
    expect([granted, await settledTurns(direct)]).toEqual([7, 7]);
    expect(await takeTheRest(direct)).toBe(MAX - granted);
  });

  test("a change that was given up is not made when it arrives", async () => {
    const { proxy, direct } = await setUp();
    const store = redisStore(proxy.address, { timeout: PATIENCE });
    onTestFinished(() => store.close());
    const pool = createPool({ id: "shared", turns: MAX, store });
    await pool.extend("turns", 1);
    proxy.hold();
    await expect(pool.extend("turns", 5)).rejects.toThrow("could not be reached");
    await proxy.deliver();
    expect((await direct.look("shared")).totals?.state.extra).toEqual({ turns: 1 });
  });

  test("a client of one's own that reconnects by itself sends nothing that was given up", async () => {
    const { server, direct } = await setUp();
    const client = createClient({ url: server.address, socket: { reconnectStrategy: 20 } });
    client.on("error", () => {});
    await client.connect();
    onTestFinished(() => client.destroy());
    const store = redisStore(client, { timeout: PATIENCE });
    const { take } = testMember(store, "shared", "ada");
    const request = { want: { turns: 1 }, limits: { turns: MAX } };
    expect((await take(request)).kind).toBe("granted");
    await server.send(["SAVE"]);
    await server.kill();
    await expect(take(request)).rejects.toThrow("could not be reached");
    await server.startAgain();
    await client.ping();
    const [stats] = (await server.send(["INFO", "commandstats"])) as [string];
    expect(stats).toContain("cmdstat_ping");
    expect(stats).not.toContain("cmdstat_eval");
    expect(await settledTurns(direct)).toBe(1);
  });
});

test("what was given up while a file was locked is not done when it is free again [LateRequestChangesNothing]", async () => {
  const file = join(folder, "locked.db");
  const store = sqliteStore(file, { timeout: 600_000 });
  onTestFinished(() => store.close());
  const numbers = { incarnation: 1, answered: 0, heard: 0, lease: 60_000 };
  const take = (turn: number, within?: number) =>
    store.take(
      {
        pool: "shared",
        member: { id: "ada", name: "Ada" },
        ...{ ...numbers, turn, used: { turns: Math.min(1, turn - 1) }, want: { turns: 1 } },
        limits: { turns: MAX },
      },
      within,
    );
  await take(1);
  const other = new DatabaseSync(file);
  for (let outage = 0; outage < OUTAGES; outage += 1) {
    other.exec("BEGIN IMMEDIATE");
    await expect(take(2 + outage, 50)).rejects.toThrow("has been locked by another process for 0.05 seconds");
    other.exec("COMMIT");
    // Whatever still waits for the file comes before this.
    await store.change("shared", { kind: "mark", mark: `${outage}`, key: `${outage}` });
    expect(await settledTurns(store)).toBe(1);
  }
  other.close();
});
