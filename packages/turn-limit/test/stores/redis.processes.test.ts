import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RedisTarget, redisStore } from "../../src/pools/stores/redis/index.ts";
import { bundled } from "./helpers/bundled.ts";
import { RedisCluster } from "./helpers/redis-cluster.ts";
import type { Order } from "./helpers/redis-members.ts";
import { RedisServer } from "./helpers/redis-server.ts";
import { withRedis } from "./helpers/with-redis.ts";

const PROCESSES = 64;
const REQUESTS = 10_000;
const MAX = 5_000;
const MEMBERS_EACH = 4;
const pool = "everybody";

withRedis(() => {
  let server: RedisServer;
  let cluster: RedisCluster;
  let processes: ChildProcess[];
  let folder: string;
  beforeAll(async () => {
    [server, cluster] = await Promise.all([RedisServer.start(), RedisCluster.start()]);
    folder = await mkdtemp(join(tmpdir(), "turn-limit-processes-"));
    const script = await bundled(join(import.meta.dirname, "helpers", "redis-members.ts"), folder);
    processes = Array.from({ length: PROCESSES }, () => fork(script, { execArgv: [] }));
    await Promise.all(processes.map((member) => once(member, "message")));
  });
  afterAll(async () => {
    for (const process of processes ?? []) process.kill();
    await server?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    if (folder) await rm(folder, { recursive: true });
  });

  /** Lets all processes ask at once, and counts what they were granted. */
  async function grantedBy(target: RedisTarget): Promise<number> {
    const until = (place: number) => Math.floor((place * REQUESTS) / PROCESSES);
    const granted = processes.map(async (process, place) => {
      const requests = until(place + 1) - until(place);
      const reply = once(process, "message");
      process.send({ target, pool, max: MAX, members: MEMBERS_EACH, requests } satisfies Order);
      const [count] = await reply;
      return Number(count);
    });
    return (await Promise.all(granted)).reduce((sum, count) => sum + count, 0);
  }

  test("64 processes with 10,000 requests are granted exactly the maximum by one server [CountedWithinAdmitted]", async () => {
    expect(await grantedBy(server.address)).toBe(MAX);
    await expectRecord(server.address);
  });

  test("64 processes with 10,000 requests are granted exactly the maximum by a cluster [CountedWithinAdmitted]", async () => {
    expect(await grantedBy({ cluster: cluster.addresses })).toBe(MAX);
    await expectRecord({ cluster: cluster.addresses });
  });
});

async function expectRecord(target: RedisTarget): Promise<void> {
  const store = redisStore(target, { timeout: 600_000 });
  const record = await store.read(pool);
  await store.close();
  expect(record?.settled).toEqual({ turns: MAX });
  expect(record?.members).toHaveLength(PROCESSES * MEMBERS_EACH);
}
