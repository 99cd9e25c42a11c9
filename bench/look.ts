import { join } from "node:path";
import type { Store } from "turn-limit";
import type * as RedisModule from "turn-limit/stores/redis";
import type * as SqliteModule from "turn-limit/stores/sqlite";
import { isRedisInstalled, RedisServer } from "../packages/turn-limit/test/stores/helpers/redis-server.ts";
import { type Build, type Builds, buildsByName, entryOf } from "./builds.ts";
import { count } from "./format.ts";
import type { Measurement } from "./measurement.ts";
import { interleaved } from "./statistics.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const FORMER = 100_000;
const AT_ONCE = 1_000;
/** The leases of all members end after the last of them came. */
const LEASE = 20_000;
const rounds = { warmUp: 1, measured: 7 };
const sampleMs = 50;
const goal = { atMost: 1.1, compared: "times" } as const;

/** A look at a pool whose 100,000 members were killed, beside one that had one member. */
export async function look(builds: Builds): Promise<Measurement[]> {
  const byName = buildsByName(builds);
  return [...(await looksAt("SQLite", byName, openSqlite)), ...(await looksAt("Redis", byName, openRedis))];
}

/** Stores of the builds, and a way to let the time of a lease pass. */
interface Stores extends AsyncDisposable {
  byName: Record<string, Store>;
  passLease(): Promise<void>;
}

async function looksAt(
  name: string,
  builds: Record<string, Build>,
  open: (builds: Record<string, Build>) => Promise<Stores | undefined>,
): Promise<Measurement[]> {
  await using stores = await open(builds);
  if (!stores) return [];
  const { now, before } = stores.byName;
  if (!now) return [];
  const subjects: Record<string, [Store, pool: string]> = {
    one: [now, "one"],
    now: [now, "many now"],
    ...(before && { before: [before, "many before"] }),
  };
  for (const [subject, [store, pool]] of Object.entries(subjects))
    await fill(store, pool, subject === "one" ? 1 : FORMER);
  await stores.passLease();
  const first: Record<string, number> = {};
  for (const [subject, [store, pool]] of Object.entries(subjects))
    first[subject] = await timed(store, pool, 0);
  const { one, ...many } = await interleaved(Object.keys(subjects), rounds, (subject) => {
    const [store, pool] = subjects[subject] as [Store, string];
    return timed(store, pool, sampleMs);
  });
  const base = { name: "with one", samples: one ?? [] };
  const former = `${count(FORMER)} former members`;
  return [
    {
      figure: `${name}, a look with ${former}`,
      unit: "ms",
      now: many.now ?? [],
      before: many.before,
      base,
      goal,
    },
    {
      figure: `${name}, the first look after their leases`,
      unit: "ms",
      now: [first.now ?? Number.NaN],
      before: first.before === undefined ? undefined : [first.before],
    },
  ];
}

async function fill(store: Store, pool: string, members: number): Promise<void> {
  const numbers = { incarnation: 1, turn: 1, answered: 0, heard: 0, used: {} };
  for (let from = 0; from < members; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, members - from) }, (_, place) => {
      const member = { id: `member ${from + place}`, name: "a member" };
      const asks = { want: { turns: 1 }, hold: { tokens: 10 }, limits: { turns: 1e9, tokens: 1e12 } };
      return store.take({ pool, member, ...numbers, ...asks, lease: LEASE });
    });
    await Promise.all(some);
  }
}

/** How many milliseconds a look takes, over as many as fit into some milliseconds. */
async function timed(store: Store, pool: string, ms: number): Promise<number> {
  const start = performance.now();
  for (let looks = 1; ; looks += 1) {
    const { totals } = await store.look(pool);
    if (totals?.agents !== 0) throw new Error(`There are still ${totals?.agents} members of ${pool}`);
    const took = performance.now() - start;
    if (took >= ms) return took / looks;
  }
}

async function openSqlite(builds: Record<string, Build>): Promise<Stores> {
  const folder = await temporaryFolder();
  let now = Date.now();
  const byName: Record<string, Store> = {};
  for (const [name, build] of Object.entries(builds)) {
    const { sqliteStore }: typeof SqliteModule = await import(entryOf(build, "./stores/sqlite"));
    byName[name] = sqliteStore(join(folder.path, `${name}.db`), { now: () => now });
  }
  return {
    byName,
    async passLease() {
      now += LEASE;
    },
    async [Symbol.asyncDispose]() {
      for (const store of Object.values(byName)) await store.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function openRedis(builds: Record<string, Build>): Promise<Stores | undefined> {
  if (!isRedisInstalled) {
    console.log("Left out: looks at Redis. There is no redis-server.");
    return undefined;
  }
  const server = await RedisServer.start();
  const byName: Record<string, Store> = {};
  for (const [name, build] of Object.entries(builds)) {
    const { redisStore }: typeof RedisModule = await import(entryOf(build, "./stores/redis"));
    byName[name] = redisStore(server.address, { timeout: 120_000, prefix: `${name}:` });
  }
  return {
    byName,
    passLease: () => new Promise((resolve) => setTimeout(resolve, LEASE)),
    async [Symbol.asyncDispose]() {
      for (const store of Object.values(byName)) await store.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
