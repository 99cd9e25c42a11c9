import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../src/pools/ledger/store.ts";
import { redisStore } from "../../src/pools/stores/redis/index.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { RedisServer } from "../stores/helpers/redis-server.ts";
import { withRedis } from "../stores/helpers/with-redis.ts";
import { ask, fill } from "./a-store.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turn-limit-command-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the command as it is installed, in an environment without settings of the person's own. */
function turnLimit(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const env = { PATH: process.env.PATH, HOME: folder };
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, ...args], { env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

/** Reads and changes the pools of a store that this process has open. */
async function works(store: Store, address: string): Promise<void> {
  await fill(store);
  await ask(store, "q1");
  const shown = await turnLimit("pools", "--store", address);
  expect(shown).toMatchObject({ code: 0, err: "" });
  expect(shown.out).toMatch(/^research +1 +12\/40 +1\.2m\/2m +\$1\.42\/\$5\.00$/m);
  expect(shown.out).toMatch(/^ {2}scout +research +q1 +cost \$5\.00\/\$5\.00 /m);

  const changed = await turnLimit("pools", "extend", "research", "cost", "$5", "--store", address, "--json");
  expect(JSON.parse(changed.out).use.cost).toEqual({ used: 1.42, held: 0.1, max: 10, extra: 5 });
  await turnLimit("pools", "answer", "research", "q1", "$2", "--store", address);
  const state = (await store.read("research"))?.state;
  expect(state?.extra).toEqual({ cost: 5e9 });
  expect(state?.questions.q1?.reply).toEqual({ more: 2 });
}

describe("a store in a file", () => {
  test("is read and changed while others have it open", async () => {
    const file = join(folder, "pools.sqlite");
    const store = sqliteStore(file);
    await works(store, file);
    await store.close();
  });

  test("that is not there has no pools yet, and is not made", async () => {
    const { code, out, err } = await turnLimit("pools");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const file = join(folder, ".pi", "agent", "turn-limit.sqlite");
    expect(out).toContain(`There are no pools yet. They will be in ${file}`);
    expect(await readdir(folder)).toEqual([]);
  });

  test("that is not there for an action, or is something else, ends it with 1 and is left alone", async () => {
    const { code, out, err } = await turnLimit("pools", "show", "research");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const file = join(folder, ".pi", "agent", "turn-limit.sqlite");
    expect(err).toBe(
      `turn-limit: The store ${file} does not exist. Use --store with a file, or a redis:// or rediss:// address.\n`,
    );
    expect(await readdir(folder)).toEqual([]);

    const letter = join(folder, "letter.txt");
    await writeFile(letter, "Dear Ada, this is not a database.");
    const other = await turnLimit("pools", "--store", letter);
    expect(other.code).toBe(1);
    expect(other.err).toMatch(/^turn-limit: [^\n]*letter\.txt[^\n]*\n$/);
  });
});

withRedis(() => {
  test("a store on a server is read and changed, and the command ends", async () => {
    const server = await RedisServer.start();
    const store = redisStore(server.address);
    try {
      await works(store, server.address);
    } finally {
      await store.close();
      await server[Symbol.asyncDispose]();
    }
  });
});

test("bad input ends it with 2", async () => {
  expect(await turnLimit("pools", "shwo")).toMatchObject({ code: 2, out: "" });
});

test("it is quiet when its output is closed before the end", async () => {
  const child = spawn(process.execPath, [BIN, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let err = "";
  child.stderr.on("data", (data) => (err += data));
  const [code] = await once(child, "close");
  expect({ code, err }).toEqual({ code: 0, err: "" });
});
