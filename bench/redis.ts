import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { isRedisInstalled, RedisServer } from "../packages/turn-limit/test/stores/helpers/redis-server.ts";
import { type Builds, buildsByName } from "./builds.ts";
import type { Measurement } from "./measurement.ts";
import { MEMBERS } from "./pool-sizes.ts";
import type { RedisOrder, RedisSubject } from "./redis-process.ts";
import { interleaved } from "./statistics.ts";

const rounds = { warmUp: 1, measured: 7 };
const ms = 300;
const goal = { atLeast: 0.7, compared: "times" } as const;

/** How many requests a second a pool on Redis grants, beside a bare INCR and the least script by the same client on the same server. */
export async function redis(builds: Builds): Promise<Measurement[]> {
  if (!isRedisInstalled) {
    console.log("Left out: Redis. There is no redis-server.");
    return [];
  }
  await using server = await RedisServer.start();
  const script = join(import.meta.dirname, "redis-process.ts");
  const most = Math.max(...MEMBERS.map(({ processes }) => processes));
  const args = [server.address, JSON.stringify(buildsByName(builds))];
  const processes = Array.from({ length: most }, () => fork(script, args, { execArgv: [] }));
  await Promise.all(processes.map((process) => once(process, "message")));
  const results: Measurement[] = [];
  const subjects = ["incr", "least", ...Object.keys(buildsByName(builds))] as RedisSubject[];
  for (const { processes: used, members } of MEMBERS)
    results.push(await compared(processes.slice(0, used), members, subjects));
  for (const process of processes) process.kill();
  return results;
}

async function compared(
  processes: readonly ChildProcess[],
  members: number,
  subjects: readonly RedisSubject[],
): Promise<Measurement> {
  const { incr, least, now, before } = await interleaved(subjects, rounds, async (subject) => {
    const made = await Promise.all(processes.map((process) => asked(process, { subject, members, ms })));
    return made.reduce((sum, requests) => sum + requests, 0) / (ms / 1000);
  });
  const processCount = processes.length === 1 ? "1 process" : `${processes.length} processes`;
  return {
    figure: `Requests, ${processCount}${members === 1 ? "" : ` with ${members} members`}`,
    unit: "per second",
    now,
    before,
    base: { name: "a bare INCR", samples: incr },
    floor: { name: "a script that does no more than it must", samples: least },
    goal,
  };
}

async function asked(process: ChildProcess, order: RedisOrder): Promise<number> {
  const reply = once(process, "message");
  process.send(order);
  const [requests] = await reply;
  return requests as number;
}
