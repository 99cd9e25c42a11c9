import { join } from "node:path";
import { onTestFinished } from "vitest";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import type { StoreUnderTest } from "../../src/testing/index.ts";
import { isRedisInstalled, RedisServer } from "./helpers/redis-server.ts";
import { timedRedisStore } from "./helpers/timed-redis-store.ts";
import { twoHandles } from "./two-handles.ts";

/** The stores that are held to the model of the rules. */
export function subjects(folder: string): StoreUnderTest[] {
  return [
    { name: "memory", open: memoryStore },
    { name: "SQLite", open: ({ now }) => twoHandles(join(folder, "pools.db"), now) },
    // Tests of its own say so where it is left out.
    ...(isRedisInstalled ? [REDIS] : []),
  ];
}

const REDIS: StoreUnderTest = {
  name: "Redis",
  async open({ now }) {
    const server = await RedisServer.start();
    onTestFinished(() => server[Symbol.asyncDispose]());
    return timedRedisStore([server.address], now);
  },
};
