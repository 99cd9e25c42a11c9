import { expect, onTestFinished, test } from "vitest";
import { type Parked, parkedRuns, parkRun, takeParked } from "../../src/pools/listing/parked-runs.ts";
import { redisStore } from "../../src/pools/stores/redis/index.ts";
import { CuttingProxy } from "./helpers/cutting-proxy.ts";
import { RedisServer } from "./helpers/redis-server.ts";
import { withRedis } from "./helpers/with-redis.ts";

withRedis(() => {
  test("a parked run is taken by one of several, also when the server's reply to it is cut off", async () => {
    await using server = await RedisServer.start();
    using proxy = await CuttingProxy.to(server.port);
    const [store, other] = [proxy.address, server.address].map((address) => redisStore(address)) as [
      ReturnType<typeof redisStore>,
      ReturnType<typeof redisStore>,
    ];
    onTestFinished(() => Promise.all([store.close(), other.close()]).then(() => undefined));
    const parked = { session: "s", program: ["pi"], args: [], isHeadless: true, options: [], state: "{}" };
    const question = { limit: "turns", used: 1, max: 1 };
    // The first time the server does not know the script yet.
    for (const [n, cutAt] of [1, 1, 2, 3, 4].entries()) {
      const run = { agent: "Pi", limits: [], used: {}, parked };
      await parkRun(store, { id: `run ${n}`, name: "nightly", run, question });
      const found = (await parkedRuns(store)).find(({ id }) => id === `run ${n}`) as Parked;
      const isCut = cutOnReply(proxy, cutAt);
      const held = await takeParked(store, found);
      // There were not that many replies.
      if (!isCut()) await store.now();
      expect([n, cutAt, held?.parked.id, await takeParked(other, found)]).toEqual([
        n,
        cutAt,
        found.id,
        undefined,
      ]);
    }
  });
});

/** Cuts the connection at one of the next replies. */
function cutOnReply(proxy: CuttingProxy, place: number): () => boolean {
  let isCut = false;
  void proxy.cutNextReply(place).then(() => {
    isCut = true;
  });
  return () => isCut;
}
