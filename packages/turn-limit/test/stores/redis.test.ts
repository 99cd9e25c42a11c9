import { afterAll, beforeAll, describe, test } from "vitest";
import { testStore } from "../../src/testing/test-store.ts";
import { RedisCluster } from "./helpers/redis-cluster.ts";
import { RedisServer } from "./helpers/redis-server.ts";
import { timedRedisStore } from "./helpers/timed-redis-store.ts";
import { withRedis } from "./helpers/with-redis.ts";

withRedis(() => {
  let server: RedisServer;
  let cluster: RedisCluster;
  beforeAll(async () => {
    [server, cluster] = await Promise.all([RedisServer.start(), RedisCluster.start()]);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  testStore(
    { name: "the store on Redis", open: ({ now }) => timedRedisStore([server.address], now) },
    { describe, test },
  );
  testStore(
    { name: "the store on a Redis cluster", open: ({ now }) => timedRedisStore(cluster.addresses, now) },
    { describe, test },
  );
});
