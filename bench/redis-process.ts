/**
 * A process that makes one request after the other to a Redis server, for as long as each {@link RedisOrder} says, and
 * answers how long each took.
 */
import { createClient } from "redis";
import { redisStore } from "../packages/turn-limit/src/pools/stores/redis/index.ts";

export type RedisSubject = "incr" | "take";

export interface RedisOrder {
  subject: RedisSubject;
  pools: number;
  ms: number;
}

const [address = ""] = process.argv.slice(2);
const client = createClient({ url: address });
await client.connect();
const store = redisStore(client);
const member = { id: `${process.pid}`, name: "a process" };
let requests = 0;

const subjects: Record<RedisSubject, (pool: string) => Promise<unknown>> = {
  incr: (pool) => client.incr(`counter ${pool}`),
  take: (pool) =>
    store.take({
      pool,
      member,
      ...{ incarnation: 1, turn: requests, answered: 0, heard: 0 },
      used: { turns: requests - 1, tokens: 1500 * requests },
      want: { turns: 1 },
      hold: { tokens: 2000 },
      limits: { turns: 1e9, tokens: 1e15 },
      lease: 60_000,
    }),
};

process.on("message", async ({ subject, pools, ms }: RedisOrder) => {
  const request = subjects[subject];
  const took: number[] = [];
  const end = performance.now() + ms;
  for (let start = performance.now(); start < end; ) {
    requests += 1;
    await request(`pool ${requests % pools}`);
    const now = performance.now();
    took.push(now - start);
    start = now;
  }
  process.send?.(took);
});
process.send?.("ready");
