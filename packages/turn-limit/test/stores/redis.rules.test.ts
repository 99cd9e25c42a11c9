import fc from "fast-check";
import { createClient } from "redis";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Change } from "../../src/pools/ledger/pool-changes.ts";
import type { Maxima, Store, Take, Taken } from "../../src/pools/ledger/store.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import type { RedisClient } from "../../src/pools/stores/redis/client.ts";
import { Connection } from "../../src/pools/stores/redis/connection.ts";
import { TAKE_KNOWN } from "../../src/pools/stores/redis/known-script.ts";
import { recordStore } from "../../src/pools/stores/redis/record-store.ts";
import { clientRoute } from "../../src/pools/stores/redis/routes.ts";
import { testMember } from "../../src/testing/store-contract/test-member.ts";
import { RedisServer } from "./helpers/redis-server.ts";
import { timedRedisStore } from "./helpers/timed-redis-store.ts";
import { withRedis } from "./helpers/with-redis.ts";

// The store in memory is the rules of the ledger and nothing else.
withRedis(() => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test("the script decides as the rules of the ledger do, in any sequence of requests and changes", async () => {
    let now = 0;
    let pools = 0;
    const redis = timedRedisStore([server.address], () => now);
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 30, size: "max" }), async (actions) => {
        now = START;
        pools += 1;
        const pool = `pool ${pools}${pools % 2 === 0 ? "" : "@2030-01-01"}`;
        const memory = memoryStore({ now: () => now });
        for (const { passed, play } of actions) {
          now += passed;
          expect(await play(redis, pool)).toEqual(await play(memory, pool));
          expect(await redis.read(pool)).toEqual(await memory.read(pool));
          expect(await redis.look(pool)).toEqual(await memory.look(pool));
        }
      }),
      { numRuns: 150 },
    );
    await redis.close();
  });

  test("members that go on are granted what the rules grant them, whatever comes in between", async () => {
    let now = 0;
    let pools = 0;
    let known = 0;
    const client = await createClient({ url: server.address }).connect();
    onTestFinished(() => client.destroy());
    const seen: RedisClient = {
      sendCommand(args, options) {
        if (args[1] === TAKE_KNOWN.sha) known += 1;
        return client.sendCommand(args, options);
      },
    };
    // Each process knows only what it asked for itself.
    const processes = [0, 1].map(() =>
      recordStore(new Connection(clientRoute(seen), 5000), "tl:", () => now),
    ) as [Store, Store];
    await fc.assert(
      fc.asyncProperty(fc.array(stride, { minLength: 5, maxLength: 40, size: "max" }), async (strides) => {
        now = START;
        pools += 1;
        const per = pools % 3;
        const pool = `strides ${pools}${per === 0 ? "@2030-01-01" : ""}`;
        const memory = memoryStore({ now: () => now });
        const walkers = new Map<string, Walker>();
        for (const { passed, process, asks, change: changed } of strides) {
          now += passed;
          const store = processes[process] as Store;
          const takes = asks.map((ask) => strideOf(pool, walkers, ask, per));
          const both = await Promise.all(
            [store, memory].map((on) => Promise.all(takes.map((take) => on.take(take)))),
          );
          expect(both[0]).toEqual(both[1]);
          for (const [place, { kind }] of (both[1] as Taken[]).entries())
            if (kind === "granted") told(walkers, takes[place] as Take);
          if (changed) expect(await changed(store, pool)).toEqual(await changed(memory, pool));
          expect(await store.read(pool)).toEqual(await memory.read(pool));
          expect(await store.look(pool)).toEqual(await memory.look(pool));
        }
      }),
      { numRuns: 150 },
    );
    expect(known).toBeGreaterThan(200);
  });

  test("a lease that is shorter than the one before ends when it says, also after a request that was made again", async () => {
    let now = START;
    const stores = [timedRedisStore([server.address], () => now), memoryStore({ now: () => now })] as const;
    const takes = [
      { turn: 1, lease: 90_000 },
      { turn: 1, lease: 60_000 },
      { turn: 2, lease: 60_000 },
    ];
    const member = { id: "ada", name: "ada" };
    const numbers = {
      incarnation: 1,
      answered: 0,
      heard: 0,
      used: {},
      hold: { cost: 1 },
      limits: { cost: 9 },
    };
    const ends = await Promise.all(
      stores.map(async (store) => {
        for (const take of takes) await store.take({ pool: "leases", member, ...numbers, ...take });
        return store;
      }),
    );
    now += 61_000;
    const other = { pool: "leases", member: { id: "bob", name: "bob" }, ...numbers, turn: 1, lease: 60_000 };
    const [redis, memory] = await Promise.all(ends.map((store) => store.take(other)));
    expect(memory).toMatchObject({ agents: 1, settled: { cost: 1 }, held: { cost: 1 } });
    expect(redis).toEqual(memory);
    await stores[0].close();
  });

  test("an answer whose question closes while it is being given comes too late, and is not kept", async () => {
    let now = START;
    const store = timedRedisStore([server.address], () => now);
    const asked = { id: "q1", member: "ada", name: "ada", limit: "turns", used: 5, max: 5 };
    await store.change("closing", { kind: "ask", question: asked, within: 100, key: "1" });
    // It is decided in the last moment, and would be written after it.
    now = START + 99;
    const times = [START + 99, START + 100];
    const late = timedRedisStore([server.address], () => times.shift() ?? START + 100);
    const person = { where: "on the phone", to: "ada" };
    const answer = { kind: "answer", question: "q1", reply: true, key: "2", person } as const;
    expect((await late.change("closing", answer)).made).toBe(false);
    expect((await store.grants()).filter(({ record }) => record === "closing")).toEqual([]);
    await store.close();
    await late.close();
  });

  test("many members that come, are silent and leave at once are remembered and forgotten as by the rules", async () => {
    let now = START;
    const stores = [timedRedisStore([server.address], () => now), memoryStore({ now: () => now })] as const;
    const ids = Array.from({ length: 350 }, (_, place) => `member ${place + 1000}`);
    const requests = (turn: number, more: Partial<Take>) =>
      ids.map((id) => {
        const numbers = { incarnation: 1, turn, answered: turn - 1, heard: START };
        const member = { id, name: id };
        return {
          pool: "crowd",
          member,
          ...numbers,
          used: {},
          hold: { cost: 2 },
          limits: { cost: 500 },
          lease: 1000,
          ...more,
        };
      });
    const [redis, memory] = stores;
    const both = async (what: (store: Store) => Promise<unknown>) =>
      expect(await what(redis)).toEqual(await what(memory));
    const all = (takes: Take[]) => (store: Store) => Promise.all(takes.map((take) => store.take(take)));
    await both(all(requests(1, {})));
    now += 500;
    await both(all(requests(2, { used: { cost: 1 } }).slice(0, 20)));
    now += 600;
    // The leases of 330 are over, and nothing was asked since.
    await both((store) => store.look("crowd"));
    await both((store) => store.read("crowd"));
    await both(all(requests(3, { used: { cost: 3 }, leaves: true }).slice(0, 20)));
    await both(all(requests(1, { incarnation: 2, answered: 0, leaves: true })));
    await both((store) => store.read("crowd"));
    await redis.close();
  });

  test("what is asked in one tick is one script, and each is granted by what is left after those before", async () => {
    await server.send(["CONFIG", "RESETSTAT"]);
    const store = timedRedisStore([server.address]);
    const taken = await Promise.all(
      Array.from({ length: 40 }, (_, place) =>
        testMember(store, "a tick", `member ${place}`).take({ want: { turns: 1 }, limits: { turns: 25 } }),
      ),
    );
    expect(taken.filter(({ kind }) => kind === "granted")).toHaveLength(25);
    expect(taken.map(({ settled }) => settled.turns)).toEqual(
      taken.map((_, place) => Math.min(25, place + 1)),
    );
    const [stats] = (await server.send(["INFO", "commandstats"])) as [string];
    for (const once of ["hmget", "hset"]) expect(stats).toContain(`cmdstat_${once}:calls=1,`);
    expect((await store.read("a tick"))?.settled).toEqual({ turns: 25 });
    await store.close();
  });
});

/** What a member has used, in the order in which it asks. */
interface Walker {
  turn: number;
  used: Record<string, number>;
}

interface Ask {
  member: string;
  more: Record<string, number>;
  want: Record<string, number> | undefined;
  hold: Record<string, number> | undefined;
  limits: Maxima | undefined;
  lease: number;
  isAgain: boolean;
}

function strideOf(pool: string, walkers: Map<string, Walker>, ask: Ask, per: number): Take {
  const walker = walkers.get(ask.member) ?? { turn: 0, used: {} };
  const used = { ...walker.used };
  for (const [measure, amount] of Object.entries(ask.more)) used[measure] = (used[measure] ?? 0) + amount;
  const turn = walker.turn + (ask.isAgain ? 0 : 1);
  walkers.set(ask.member, { turn, used });
  const { want, hold, limits, lease } = ask;
  const member = { id: ask.member, name: ask.member };
  return {
    ...{ pool, member, incarnation: 1, turn: Math.max(1, turn), answered: 0, heard: 0, used, lease },
    ...defined({ want, hold, limits }),
    ...(per === 0 && { period: { from: START, to: START + 86_400_000 } }),
    ...(per === 1 && { keepFor: 500_000 }),
  } as Take;
}

function told(walkers: Map<string, Walker>, { member, want = {}, turn }: Take): void {
  const walker = walkers.get(member.id);
  if (walker?.turn !== turn) return;
  for (const [measure, amount] of Object.entries(want))
    walker.used[measure] = (walker.used[measure] ?? 0) + (amount as number);
}

interface Action {
  passed: number;
  play: (store: Store, pool: string) => Promise<unknown>;
}

const START = Date.UTC(2030, 0, 1);

const measure = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("turns", "cost", "tools.bash") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("__proto__", "constructor", '"\\', "tools.é\u{1f600}", "\ud800", "", "1"),
  },
);
const record = <T>(value: fc.Arbitrary<T>) =>
  fc.dictionary(measure, value, { maxKeys: 3, noNullPrototype: true });
const max: fc.Arbitrary<number | "unlimited"> = fc.oneof(fc.nat(12), fc.constant("unlimited" as const));
const maxima: fc.Arbitrary<Maxima> = record(max);
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const text = fc.oneof(fc.constantFrom("a", "b", "c"), fc.string({ unit: "binary", maxLength: 5 }));

const request = fc
  .record({
    member: fc.record({ id: fc.constantFrom("ada", "bob", "__proto__", "\ud800{}\n"), name: text }),
    incarnation: fc.constantFrom(1, 1, 1, 2),
    turn: fc.integer({ min: 1, max: 6 }),
    answered: fc.constantFrom(0, 0, 0, 1, 2),
    heard: fc.constantFrom(0, START, START + 3000, START + 60_000),
    used: record(fc.integer({ min: -3, max: 8 })),
    want: sometimes(record(fc.nat(3))),
    hold: sometimes(record(fc.nat(9))),
    limits: sometimes(maxima),
    force: fc.constantFrom(undefined, undefined, undefined, true),
    thawed: sometimes(fc.integer({ min: 0, max: 3 }).map((seconds) => START + seconds * 1000)),
    period: sometimes(fc.constant({ from: START + 1000, to: START + 4000 })),
    lease: fc.constantFrom(0, 1, 1000, 3000, 60_000),
    leaves: fc.constantFrom(undefined, undefined, true),
    keepFor: fc.constantFrom(undefined, undefined, undefined, 1000, 10_000.5),
  })
  .map((request) => (store: Store, pool: string) => store.take({ pool, ...defined(request) } as Take));
// Several are asked in one tick.
const take = fc
  .array(request, { minLength: 1, maxLength: 4 })
  .map((requests) => (store: Store, pool: string) => Promise.all(requests.map((ask) => ask(store, pool))));

const terms = fc.record(
  { limits: maxima, zone: fc.constantFrom("UTC", "Asia/Tokyo"), keepFor: fc.constantFrom(1000, "forever") },
  { requiredKeys: [], noNullPrototype: true },
);
const key = fc.string({ maxLength: 2 });
const change = fc
  .oneof(
    fc.record(
      { kind: fc.constant("extend"), key, measure, by: max, beyondUsed: fc.boolean(), max },
      { requiredKeys: ["kind", "key", "measure", "by"] },
    ),
    fc.record({ kind: fc.constant("end-extension"), key, measure }),
    fc.record({ kind: fc.constant("limits"), key, limits: maxima }),
    fc.record({ kind: fc.constant("freeze"), key, why: text }),
    fc.record({ kind: fc.constantFrom("unfreeze", "reset"), key }),
    fc.record({ kind: fc.constant("join"), key, terms, otherwise: terms, namesAll: fc.boolean() }),
    fc.record({ kind: fc.constant("terms"), key, terms }),
  )
  .map((change) => (store: Store, pool: string) => store.change(pool, change as Change));

const few = fc.constantFrom("turns", "cost");
const amountsUpTo = (least: number, most: number) =>
  fc.dictionary(few, fc.integer({ min: least, max: most }), { maxKeys: 2, noNullPrototype: true });
const ask: fc.Arbitrary<Ask> = fc.record({
  member: fc.constantFrom("ada", "bob", "\ud800{}\n"),
  more: fc.oneof({ weight: 8, arbitrary: amountsUpTo(0, 3) }, { weight: 1, arbitrary: amountsUpTo(-3, 3) }),
  want: fc.option(amountsUpTo(0, 2), { nil: undefined, freq: 8 }),
  hold: fc.option(amountsUpTo(0, 4), { nil: undefined, freq: 8 }),
  limits: fc.constantFrom(undefined, { turns: 40 }, { turns: 60, cost: 90 }, { cost: "unlimited" as const }),
  lease: fc.constantFrom(60_000, 60_000, 60_000, 90_000, 3000),
  isAgain: fc.constantFrom(false, false, false, false, false, false, false, true),
});
const stride = fc.record({
  passed: fc.constantFrom(0, 1, 1, 1000, 1000, 3000, 61_000, -500),
  process: fc.constantFrom(0, 0, 0, 0, 1),
  asks: fc.uniqueArray(ask, { minLength: 1, maxLength: 3, selector: ({ member }) => member }),
  change: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: change }),
});

const action: fc.Arbitrary<Action> = fc.record({
  passed: fc.constantFrom(0, 0, 0, 1, 1000, 3000),
  play: fc.oneof({ weight: 4, arbitrary: take }, { weight: 1, arbitrary: change }),
});

function defined<T extends object>(from: T): Partial<T> {
  return Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as Partial<T>;
}
