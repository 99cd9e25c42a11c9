import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient, createSentinel } from "redis";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { isStoreError } from "../../src/core/errors/store-error.ts";
import type { Store, Take } from "../../src/pools/ledger/store.ts";
import { type RedisTarget, redisStore } from "../../src/pools/stores/redis/index.ts";
import { LEASE, type TestMember, testMember } from "../../src/testing/store-contract/test-member.ts";
import { CuttingProxy } from "./helpers/cutting-proxy.ts";
import { RedisCluster } from "./helpers/redis-cluster.ts";
import { RedisServer } from "./helpers/redis-server.ts";
import { timedRedisStore } from "./helpers/timed-redis-store.ts";
import { withRedis } from "./helpers/with-redis.ts";

const SHORT = 300;
const LONG = 600_000;
const KEEPS = ["--appendonly", "yes", "--appendfsync", "always"];

withRedis(() => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await RedisCluster.start();
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test.each<[what: string, remove: (key: string) => string[][]]>([
    ["its leases are", (key) => [["DEL", `${key}:leases`]]],
    ["a member is", (key) => [["HDEL", key, "m:bob"]]],
    [
      "a member and its lease are",
      (key) => [
        ["HDEL", key, "m:bob"],
        ["ZREM", `${key}:leases`, "bob"],
      ],
    ],
  ])("a pool goes on where %s missing, and what nobody holds any more counts as used", async (_, remove) => {
    await using server = await RedisServer.start();
    let now = Date.now();
    const store = timedRedisStore([server.address], () => now);
    onTestFinished(() => store.close());
    const limits = { tokens: 100 };
    const [ada, bob, eve] = ["ada", "bob", "eve"].map((id) => testMember(store, "shared", id)) as [
      TestMember,
      TestMember,
      TestMember,
    ];
    await ada.take({ hold: { tokens: 10 }, limits });
    await bob.take({ hold: { tokens: 20 }, limits });
    await server.send(...remove("tl:{shared}"));
    expect((await store.read("shared"))?.pool).toBe("shared");
    expect((await store.look("shared")).totals).toBeDefined();
    now += LEASE;
    // Both leases are over.
    const taken = await eve.take({ hold: { tokens: 5 }, limits });
    expect(taken).toMatchObject({ kind: "granted", settled: { tokens: 30 }, held: { tokens: 5 }, agents: 1 });
    await store.change("shared", { key: "r", kind: "reset" });
    now += LEASE;
    expect(await store.read("shared")).toMatchObject({ settled: { tokens: 5 }, held: {}, agents: 0 });
  });

  test("what is left of a record that is missing does not keep its pool from starting over", async () => {
    await using server = await RedisServer.start();
    let now = Date.now();
    const store = timedRedisStore([server.address], () => now);
    onTestFinished(() => store.close());
    const [ada, bob] = [testMember(store, "shared", "ada"), testMember(store, "shared", "bob")];
    await ada.take({ hold: { tokens: 10 } });
    await bob.take({ leaves: true });
    await server.send(["DEL", "tl:{shared}"]);
    const eve = testMember(store, "shared", "eve");
    const limits = { tokens: 100 };
    expect(await eve.take({ hold: { tokens: 5 }, limits })).toMatchObject({ held: { tokens: 5 }, agents: 1 });
    now += LEASE;
    const next = await testMember(store, "shared", "joe").take({ hold: { tokens: 5 }, limits });
    expect(next).toMatchObject({ settled: { tokens: 5 }, held: { tokens: 5 }, agents: 1 });
    expect((await store.read("shared"))?.members.map(({ id }) => id).sort()).toEqual(["eve", "joe"]);
  });

  test("a request that is refused in its middle leaves nothing behind", async () => {
    await using server = await RedisServer.start();
    const user = ["ACL", "SETUSER", "agent", "on", ">secret", "~*", "+@all"];
    await server.send(["SET", "tl:{taken}:leases", "somebody's"], [...user, "-zadd"]);
    const store = opened(server.address);
    await expect(testMember(store, "taken", "ada").take({ hold: { tokens: 10 } })).rejects.toThrow(
      "has something else under a key",
    );
    const limited = opened(server.address.replace("//", "//agent:secret@"));
    await expect(testMember(limited, "shared", "ada").take({ hold: { tokens: 10 } })).rejects.toThrow(
      /does not let this user.*ZADD/,
    );
    const change = { key: "f", kind: "freeze", why: "lunch" } as const;
    await expect(limited.change("shared", change)).rejects.toThrow(/does not let this user.*ZADD/);
    expect(await server.send(["KEYS", "*"])).toEqual([["tl:{taken}:leases"]]);
  });

  test("an ACL with what the page lists is enough, and less is not", async () => {
    await using server = await RedisServer.start();
    const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "pools.md"), "utf8");
    const [, rule = ""] = /^ACL SETUSER agent on >secret (.+)$/m.exec(page) ?? [];
    const words = rule.split(" ");
    const commands = words.filter((word) => word.startsWith("+"));
    expect(commands.length).toBeGreaterThan(10);
    const allowed = ["ACL", "SETUSER", "agent", "reset", "on", ">secret", ...words];
    let pools = 0;
    const use = async (taken: readonly string[] = []) => {
      pools += 1;
      await server.send(["SCRIPT", "FLUSH"], [...allowed, ...taken]);
      const store = opened(server.address.replace("//", "//agent:secret@"));
      const pool = `pool ${pools}@2030-01-07`;
      const [ada, bob] = [testMember(store, pool, "ada"), testMember(store, pool, "bob")];
      const period = { from: 0, to: Date.UTC(2100, 0) };
      await ada.take({ want: { turns: 1 }, hold: { tokens: 1 }, lease: 0, period });
      await bob.take({ want: { turns: 1 }, leaves: true, period });
      for (const kind of ["reset", "unfreeze"] as const) await store.change(pool, { key: kind, kind });
      await store.change(pool, { key: "f", kind: "freeze", why: "lunch" });
      const person = { where: "in the terminal", to: pool };
      await store.change(pool, { key: "e", kind: "extend", measure: "turns", by: 1, person });
      expect((await store.grants()).some(({ record }) => record === pool)).toBe(true);
      expect(await store.runs()).toEqual([]);
      expect((await store.read(pool))?.members).toHaveLength(2);
      expect((await store.look(pool)).totals).toBeDefined();
      expect(await store.list()).toContain(pool);
      await store.now();
      expect(await store.delete(pool)).toBe(true);
    };
    await use();
    for (const command of commands)
      await expect(use([command.replace("+", "-")]), command).rejects.toThrow("does not let this user");
  });

  test("a Sentinel is refused by its name, by its address and as a client", async () => {
    await using server = await RedisServer.startSentinel();
    const member = testMember(opened(server.address), "shared", "ada");
    await expect(member.take({})).rejects.toThrow(/is a Sentinel.*Use the address of the primary/);
    const sentinel = createSentinel({
      name: "primary",
      sentinelRootNodes: [{ host: "127.0.0.1", port: server.port }],
    });
    expect(() => redisStore(sentinel as never)).toThrow(/Sentinel is not supported/);
  });

  test("a server that is killed and comes back with its data grants what was left", async () => {
    await using server = await RedisServer.start(KEEPS);
    const ada = memberOf(opened(server.address));
    expect([await ada.take(), await ada.take(), await ada.take()]).toEqual(["granted", "granted", "granted"]);
    await server.kill();
    const waiting = ada.take();
    await server.startAgain();
    expect([await waiting, await ada.take(), await ada.take()]).toEqual(["granted", "granted", "refused"]);
    expect(await ada.settled()).toBe(5);
  });

  test("a server that comes back without its data is told once, and the pool goes on", async () => {
    await using server = await RedisServer.start();
    const store = opened(server.address);
    const [ada, bob] = [memberOf(store), memberOf(store)];
    await ada.take();
    await bob.take();
    await server.kill();
    await server.startAgain();
    expect([await ada.take(), await bob.take()]).toEqual(["lost", "lost"]);
    expect([await ada.take(), await bob.take()]).toEqual(["granted", "granted"]);
    // What was used before is told again.
    expect(await ada.settled()).toBe(4);
  });

  test("a server that comes back with older data is told, too", async () => {
    await using server = await RedisServer.start();
    const ada = memberOf(opened(server.address));
    await ada.take();
    await server.send(["SAVE"]);
    await ada.take();
    await server.kill();
    await server.startAgain();
    expect([await ada.take(), await ada.take(), await ada.settled()]).toEqual(["lost", "granted", 3]);
  });

  test("a server that is replaced by an empty one is told, in every process", async () => {
    await using server = await RedisServer.start(KEEPS);
    const [ada, bob] = [memberOf(opened(server.address)), memberOf(opened(server.address))];
    await ada.take();
    await bob.take();
    await server.kill();
    await rm(join(server.folder, "appendonlydir"), { recursive: true });
    await server.startAgain();
    expect([await ada.take(), await ada.take()]).toEqual(["lost", "granted"]);
    expect([await bob.take(), await bob.take()]).toEqual(["lost", "granted"]);
    expect(await bob.settled()).toBe(4);
  });

  test("a server that does not run is an error that names it without the password", async () => {
    await using server = await RedisServer.start();
    const { port } = server;
    await server.kill();
    for (const target of targets(`redis://ada:secret@127.0.0.1:${port}/2`)) {
      const problem = await problemOf(memberOf(opened(target, SHORT)).take());
      expect(problem).toMatch(
        `The Redis store redis://127.0.0.1:${port}/2 could not be reached within 300 ms`,
      );
      expect(problem).toMatch(/Is the server running/);
      expect(problem).not.toMatch("secret");
    }
  });

  test("a server that is paused is an error, and a request that was made again counts once", async () => {
    await using server = await RedisServer.start();
    const patient = opened(server.address);
    const impatient = opened(server.address, SHORT);
    const request = requestOf();
    // It is connected before, unless the machine is too busy.
    await impatient.now().catch(caught);
    server.pause();
    expect(await problemOf(impatient.take(request))).toMatch(/could not be reached/);
    expect(await problemOf(impatient.take(request))).toMatch(/could not be reached/);
    const waiting = patient.take(request);
    server.goOn();
    expect((await waiting).settled).toEqual({ turns: 1 });
    expect((await patient.take(request)).settled).toEqual({ turns: 1 });
  });

  test("a server without memory says so, changes nothing, and goes on when it has some", async () => {
    await using server = await RedisServer.start();
    const ada = memberOf(opened(server.address));
    await ada.take();
    await server.send(["CONFIG", "SET", "maxmemory", "1"]);
    expect(await problemOf(ada.take())).toMatch(/is out of memory\. Give it more/);
    expect(await problemOf(ada.again())).toMatch(/OOM/);
    expect(await ada.settled()).toBe(1);
    await server.send(["CONFIG", "SET", "maxmemory", "0"]);
    expect([await ada.again(), await ada.settled()]).toEqual(["granted", 2]);
  });

  test("a request whose reply is cut off is made again, and counts once [RequestRepeated]", async () => {
    await using server = await RedisServer.start();
    using proxy = await CuttingProxy.to(server.port);
    const store = opened(proxy.address);
    const ada = memberOf(store);
    await ada.take();
    for (let cuts = 1; cuts <= 3; cuts += 1) {
      const cut = proxy.cutNextReply();
      expect(await ada.take()).toBe("granted");
      await cut;
      expect(await ada.settled()).toBe(1 + cuts);
    }
    const cut = proxy.cutNextReply();
    const extended = { key: randomUUID(), kind: "extend", measure: "turns", by: 2 } as const;
    expect((await store.change("shared", extended)).state.extra).toEqual({ turns: 2 });
    await cut;
    expect([await ada.take(), await ada.take(), await ada.take(), await ada.take()]).toEqual([
      "granted",
      "granted",
      "granted",
      "refused",
    ]);
  });

  test("what a server refuses is said in clear words", async () => {
    await using server = await RedisServer.start();
    const ada = memberOf(opened(server.address));
    await server.send(["SET", "tl:{shared}", "something else"]);
    expect(await problemOf(ada.take())).toMatch(
      /has something else under a key of the pool\. Choose another prefix/,
    );
    await server.send(["DEL", "tl:{shared}"]);
    await ada.again();
    await server.send(["HSET", "tl:{shared}", "version", "4"]);
    expect(await problemOf(ada.take())).toMatch(/holds records of a later version of turn-limit/);
    expect(await problemOf(ada.settled())).toMatch(/later version/);
    for (const version of ["1", "2"]) {
      await server.send(["HSET", "tl:{shared}", "version", version]);
      expect(await problemOf(ada.take())).toMatch(/holds records of an earlier version of turn-limit/);
    }
    await server.send(["HSET", "tl:{daily@2030-01-01}", "version", "1"]);
    const daily = opened(server.address).take(requestOf("daily@2030-01-01"));
    expect(await problemOf(daily)).toMatch(/earlier version/);
    await server.send(["REPLICAOF", "127.0.0.1", "1"]);
    expect(await problemOf(opened(server.address).take(requestOf("new")))).toMatch(/is a replica/);
    await server.send(["REPLICAOF", "NO", "ONE"], ["CONFIG", "SET", "requirepass", "secret"]);
    expect(await problemOf(opened(server.address).take(requestOf()))).toMatch(/wants a password/);
    const wrong = opened(`redis://ada:guess@127.0.0.1:${server.port}`).take(requestOf());
    expect(await problemOf(wrong)).toMatch(/does not accept the name or the password/);
  });

  test("a client of one's own is used, and not closed", async () => {
    await using server = await RedisServer.start();
    const client = createClient({ url: server.address });
    expect(await problemOf(redisStore(client).take(requestOf()))).toMatch(/Call connect\(\)/);
    await client.connect();
    const store = redisStore(client);
    expect((await store.take(requestOf())).kind).toBe("granted");
    await store.close();
    expect(await problemOf(store.take(requestOf()))).toMatch(/is closed/);
    expect(await client.ping()).toBe("PONG");
    client.destroy();
  });

  test("a process that is done ends, though the store was not closed", async () => {
    await using server = await RedisServer.start();
    for (const target of [server.address, { cluster: cluster.addresses }])
      expect(await inOwnProcess(target)).toBe("granted\n");
  });

  test("where the package redis is missing, the error says what to install", async () => {
    const missing = `import { registerHooks } from "node:module";
      registerHooks({ resolve(name, context, next) {
        if (name === "redis") throw new Error("Cannot find package 'redis'");
        return next(name, context);
      } });`;
    const output = await inOwnProcess("redis://127.0.0.1:1", missing);
    expect(output).toMatch(
      /needs the package "redis", which could not be loaded\. Install it: npm install redis/,
    );
  });

  // The last one: the cluster is not whole afterwards.
  test("one server of a cluster that is down keeps nobody from the others", async () => {
    const [dead, alive] = cluster.servers as [RedisServer, RedisServer];
    for (const server of cluster.servers)
      await server.send(["CONFIG", "SET", "cluster-require-full-coverage", "no"]);
    const target = { cluster: cluster.addresses };
    const pools = await Promise.all([poolOn(dead), poolOn(alive)]);
    const patient = opened(target);
    await Promise.all(pools.map((pool) => patient.take(requestOf(pool))));
    await dead.kill();
    expect(isStoreError(await opened(target, SHORT).take(requestOf(pools[0])).catch(caught))).toBe(true);
    expect((await opened(target).take(requestOf(pools[1]))).settled).toEqual({ turns: 2 });
    expect((await patient.take(requestOf(pools[1]))).settled).toEqual({ turns: 3 });
  });
});

function opened(target: RedisTarget, timeout = LONG): Store {
  const store = redisStore(target, { timeout });
  onTestFinished(() => store.close());
  return store;
}

function targets(address: string): RedisTarget[] {
  return [address, { cluster: [address] }];
}

function requestOf(pool = "shared"): Take {
  const member = { id: randomUUID(), name: "a member" };
  const numbers = { incarnation: 1, turn: 1, answered: 0, heard: 0 };
  return { pool, member, ...numbers, used: {}, want: { turns: 1 }, limits: { turns: 5 }, lease: 600_000 };
}

function memberOf(store: Store) {
  const { take, again } = testMember(store, "shared", randomUUID());
  return {
    again: async () => (await again()).kind,
    take: async () => (await take({ want: { turns: 1 }, limits: { turns: 5 }, lease: 600_000 })).kind,
    settled: async () => (await store.read("shared"))?.settled.turns,
  };
}

function caught(error: unknown): unknown {
  return error;
}

async function problemOf(asked: Promise<unknown>): Promise<string> {
  const error = await asked.catch(caught);
  expect(isStoreError(error) ? "a StoreError" : error).toBe("a StoreError");
  return (error as Error).message;
}

/** The name of a pool whose record this server of a cluster has. */
async function poolOn(server: RedisServer): Promise<string> {
  for (let number = 1; ; number += 1) {
    const isHere = await server.send(["EXISTS", `tl:{pool ${number}}`]).catch(() => undefined);
    if (isHere) return `pool ${number}`;
  }
}

async function inOwnProcess(target: RedisTarget, before = ""): Promise<string> {
  const source = join(import.meta.dirname, "..", "..", "src", "pools", "stores", "redis", "index.ts");
  const script = `${before}
    const { redisStore } = await import(${JSON.stringify(source)});
    const store = redisStore(${JSON.stringify(target)}, { timeout: ${LONG} });
    const taken = await store.take(${JSON.stringify(requestOf())}).catch(({ message }) => ({ kind: message }));
    console.log(taken.kind);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return stdout;
}
