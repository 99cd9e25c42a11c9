import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Store } from "../../src/pools/ledger/store.ts";
import { redisStore } from "../../src/pools/stores/redis/index.ts";
import { testMember } from "../../src/testing/store-contract/test-member.ts";
import { RedisServer } from "./helpers/redis-server.ts";
import { withRedis } from "./helpers/with-redis.ts";

const lease = 600_000;

function opened({ address }: RedisServer): Store {
  const store = redisStore(address, { timeout: 600_000 });
  onTestFinished(() => store.close());
  return store;
}

withRedis(() => {
  test("scripts that are flushed under way are sent again, and nothing is granted twice", async () => {
    await using server = await RedisServer.start();
    const store = opened(server);
    const MAX = 300;
    let granted = 0;
    let isOver = false;
    async function takesAll(place: number): Promise<void> {
      const { take } = testMember(store, "shared", `member ${place}`);
      for (;;) {
        const { kind } = await take({ want: { turns: 1 }, limits: { turns: MAX }, lease });
        if (kind !== "granted") return;
        granted += 1;
      }
    }
    async function flushes(): Promise<void> {
      while (!isOver) await server.send(["SCRIPT", "FLUSH"]);
    }
    const flushing = flushes();
    await Promise.all(Array.from({ length: 8 }, (_, place) => takesAll(place)));
    isOver = true;
    await flushing;
    expect([granted, (await store.read("shared"))?.settled]).toEqual([MAX, { turns: MAX }]);
  });

  test("a record that is evicted is told as lost counts, once to each member, and told again by them", async () => {
    await using server = await RedisServer.start();
    const store = opened(server);
    const [ada, bob] = [testMember(store, "shared", "ada"), testMember(store, "shared", "bob")];
    const request = { want: { turns: 1 }, limits: { turns: 5 }, lease };
    for (const member of [ada, bob, ada]) expect((await member.take(request)).kind).toBe("granted");
    const [memory] = (await server.send(["INFO", "memory"])) as [string];
    const used = Number(/used_memory:(\d+)/.exec(memory)?.[1]);
    await server.send(
      ["CONFIG", "SET", "maxmemory-policy", "allkeys-lru", "maxmemory-samples", "64"],
      ["CONFIG", "SET", "maxmemory", `${used + 300_000}`],
    );
    const isThere = async () => (await server.send(["EXISTS", "tl:{shared}"]))[0] === 1;
    for (let n = 0; await isThere(); n += 1) {
      const fillers = Array.from({ length: 50 }, (_, place) => [
        "SET",
        `filler ${n} ${place}`,
        "x".repeat(2_000),
      ]);
      await server.send(...fillers);
    }
    await server.send(["CONFIG", "SET", "maxmemory", "0"]);
    const kinds: string[] = [];
    for (const member of [ada, bob, ada, bob, ada]) kinds.push((await member.take(request)).kind);
    expect(kinds).toEqual(["lost", "lost", "granted", "granted", "refused"]);
    expect((await store.read("shared"))?.settled).toEqual({ turns: 5 });
  });

  test("after a failover to a replica that lacks the last reservation each member learns it, and tells it again", async () => {
    await using primary = await RedisServer.start();
    await using replica = await RedisServer.start();
    await replica.send(["REPLICAOF", "127.0.0.1", `${primary.port}`]);
    const stores = [opened(primary), opened(replica)] as const;
    let current: Store = stores[0];
    const store: Store = { ...stores[0], take: (take, within) => current.take(take, within) };
    const [ada, bob] = [testMember(store, "shared", "ada"), testMember(store, "shared", "bob")];
    const request = { want: { turns: 1 }, hold: { tokens: 10 }, limits: { turns: 4, tokens: 100 }, lease };
    await ada.take(request);
    await bob.take(request);
    const copied = async () => (await stores[1].read("shared").catch(() => undefined))?.settled.turns;
    while ((await copied()) !== 2) await sleep(20);
    await replica.send(["REPLICAOF", "NO", "ONE"]);
    // This one is granted by a primary that no longer has a replica.
    expect((await ada.take(request)).kind).toBe("granted");
    await primary.kill();
    current = stores[1];
    const kinds: string[] = [];
    for (const member of [ada, bob, ada, bob]) kinds.push((await member.take(request)).kind);
    // Four were granted in all: two to each.
    expect(kinds).toEqual(["lost", "granted", "refused", "refused"]);
    expect((await stores[1].read("shared"))?.settled).toEqual({ turns: 4 });
  });
});
