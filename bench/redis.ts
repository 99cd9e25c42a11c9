import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { isRedisInstalled, RedisServer } from "../packages/turn-limit/test/stores/helpers/redis-server.ts";
import { count, time, times } from "./format.ts";
import { POOL_SIZES } from "./pool-sizes.ts";
import type { RedisOrder, RedisSubject } from "./redis-process.ts";
import { interleaved, median, ratio, ratioRange } from "./statistics.ts";
import { type Result, verdictOfAtLeast } from "./table.ts";

const rounds = { warmUp: 2, measured: 12 };
const ms = 300;
const goal = 0.7;

/** How many requests a second a pool on Redis grants, beside a bare INCR by the same client on the same server. */
export async function redis(): Promise<Result[]> {
  if (!isRedisInstalled) {
    console.log("Left out: Redis. There is no redis-server.");
    return [];
  }
  await using server = await RedisServer.start();
  const script = join(import.meta.dirname, "redis-process.ts");
  const most = Math.max(...POOL_SIZES.map(({ processes }) => processes));
  const processes = Array.from({ length: most }, () => fork(script, [server.address], { execArgv: [] }));
  await Promise.all(processes.map((process) => once(process, "message")));
  const results: Result[] = [];
  for (const { processes: used, pools } of POOL_SIZES)
    results.push(await compared(processes.slice(0, used), pools));
  for (const process of processes) process.kill();
  return results;
}

async function compared(processes: readonly ChildProcess[], pools: number): Promise<Result> {
  const slowest: Record<RedisSubject, number[]> = { incr: [], take: [] };
  const rates = await interleaved(["incr", "take"], rounds, async (subject) => {
    const took = (
      await Promise.all(processes.map((process) => asked(process, { subject, pools, ms })))
    ).flat();
    slowest[subject].push(took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN);
    return took.length / (ms / 1000);
  });
  const shown = (subject: RedisSubject) =>
    `${count(Math.round(median(rates[subject])))}/s, p99 ${time(median(slowest[subject]) * 1e6)}`;
  const [low, high] = ratioRange(rates.take, rates.incr);
  const compared = { middle: ratio(rates.take, rates.incr), low, high };
  return {
    what: `Redis, beside INCR, ${processes.length === 1 ? "1 process" : `${processes.length} processes`}, ${count(pools)} ${pools === 1 ? "pool" : "pools"}`,
    without: shown("incr"),
    measured: shown("take"),
    difference: times(compared),
    goal: { text: `at least ${goal}`, verdict: verdictOfAtLeast(compared, goal) },
  };
}

async function asked(process: ChildProcess, order: RedisOrder): Promise<number[]> {
  const reply = once(process, "message");
  process.send(order);
  const [took] = await reply;
  return took as number[];
}
