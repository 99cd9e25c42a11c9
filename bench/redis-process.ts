/**
 * A process that makes one request after the other to a Redis server, for as long as each {@link RedisOrder} says, and
 * answers how long each took.
 */
import { createClient } from "redis";
import type * as Store from "turn-limit/stores/redis";
import { type Build, entryOf } from "./builds.ts";

/** A bare INCR, or a build of turn-limit by its name. */
export type RedisSubject = "incr" | "now" | "before";

export interface RedisOrder {
  subject: RedisSubject;
  pools: number;
  ms: number;
}

const [address = "", json = "{}"] = process.argv.slice(2);
const builds: Record<string, Build> = JSON.parse(json);
const client = createClient({ url: address });
await client.connect();
const member = { id: `${process.pid}`, name: "a process" };
let requests = 0;

const subjects: Record<string, (pool: string) => Promise<unknown>> = {
  incr: (pool) => client.incr(`counter ${pool}`),
};
for (const [name, build] of Object.entries(builds)) {
  const { redisStore }: typeof Store = await import(entryOf(build, "./stores/redis"));
  const store = redisStore(client);
  subjects[name] = (pool) =>
    store.take({
      pool: `${name} ${pool}`,
      member,
      ...{ incarnation: 1, turn: requests, answered: 0, heard: 0 },
      used: { turns: requests - 1, tokens: 1500 * requests },
      want: { turns: 1 },
      hold: { tokens: 2000 },
      limits: { turns: 1e9, tokens: 1e15 },
      lease: 60_000,
    });
}

process.on("message", async ({ subject, pools, ms }: RedisOrder) => {
  const request = subjects[subject];
  if (!request) throw new Error(`There is no ${subject}`);
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
