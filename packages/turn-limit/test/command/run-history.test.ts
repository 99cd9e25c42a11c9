import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ScriptedProvider } from "@turn-limit/rig";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PastRun } from "../../src/core/history/past-run.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { redisStore } from "../../src/pools/stores/redis/index.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { RedisServer } from "../stores/helpers/redis-server.ts";
import { withRedis } from "../stores/helpers/with-redis.ts";
import { startEndlessModel } from "./endless-model.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");
const AGENT = join(import.meta.dirname, "agents", "claude-like.mjs");
const CLAUDE = ["--profile", "claude-code", "--at-limit", "stop"];
const NAME = "Claude Code";

let folder: string;
let file: string;
let provider: ScriptedProvider;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turn-limit-history-"));
  file = join(folder, "pools.sqlite");
  provider = await startEndlessModel();
});
afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs an agent to its end, which goes on for ever if `args` do not say for how many turns. */
async function run(options: readonly string[], ...args: string[]) {
  const env = {
    PATH: process.env.PATH,
    TZ: process.env.TZ,
    HOME: folder,
    ANTHROPIC_BASE_URL: provider.address,
  };
  const line = [BIN, "run", "--store", file, ...options, "--", process.execPath, AGENT, ...args];
  const child = spawn(process.execPath, line, {
    ...{ cwd: folder, env, detached: true },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, out, err };
}

/** Fills the store with runs of 1, 2, 3 … turns. */
async function remember(store: Store, count: number, end: PastRun["end"] = "finished", agent = NAME) {
  for (let turns = 1; turns <= count; turns += 1) {
    const used = { input: turns * 900, output: turns * 100, cacheRead: 0, cacheWrite: 0, cost: turns / 100 };
    const took = { turns, requests: turns, steps: turns, time: turns * 1_000, ...used, calls: {} };
    await store.remember({ id: `${agent} ${end} ${turns}`, agent, end, took });
  }
}

async function inStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = file.startsWith("redis:") ? redisStore(file) : sqliteStore(file);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const remembered = () => inStore((store) => store.pastRuns(NAME));

function onEachStore(): void {
  test("what a run took is remembered, by agent, and a percentile of it is the next limit [ChosenFromHistory]", async () => {
    await inStore((store) => remember(store, 19));
    await inStore((store) => remember(store, 40, "finished", "another agent"));
    expect(await run(["--max-turns", "9", ...CLAUDE], "20")).toMatchObject({ code: 86 });
    expect(await run(["--max-turns", "90", ...CLAUDE], "20")).toMatchObject({ code: 0 });
    expect((await remembered()).slice(19)).toMatchObject([
      {
        end: "limited",
        took: { turns: 9, requests: 9, input: 8_100, output: 900, cost: expect.any(Number) },
      },
      { end: "finished", took: { turns: 20, requests: 20, input: 18_000, output: 2_000 } },
    ]);
    const sent = provider.requests.length;
    expect(sent).toBe(29);
    const { err, code } = await run(["--max-turns", "p90", ...CLAUDE]);
    expect(err).toMatch(/^turn-limit: Turn limit set to 19 \(p90 of your last 21 runs of Claude Code\)\.\n/);
    expect(err).toContain("stopped at 19/19 turns (Claude Code)");
    expect(provider.requests.length - sent).toBe(19);
    expect(code).toBe(86);
  });
}

describe("SQLite", () => {
  onEachStore();

  test("every limit can be one, each with its amounts, and is never above what is set beside it", async () => {
    await inStore((store) => remember(store, 100));
    const limits = ["--max-turns", "p90 up to 50", "--max-requests", "p50", "--max-tokens", "p95"];
    const others = ["--max-cost", "p75 up to $10, $20 per day", "--max-time", "p99 up to 1m"];
    const { err } = await run([...limits, ...others, ...CLAUDE], "3");
    const of = "of your last 100 runs of Claude Code";
    expect(err.split("\n").slice(0, 5)).toEqual([
      `turn-limit: Turn limit set to 50 (p90 ${of} is 90).`,
      `turn-limit: Request limit set to 50 (p50 ${of}).`,
      `turn-limit: Token limit set to 95k (p95 ${of}).`,
      `turn-limit: Cost limit set to $0.75 (p75 ${of}).`,
      `turn-limit: Time limit set to 1m (p99 ${of} is 1m39s).`,
    ]);
    expect(provider.requests).toHaveLength(3);
  });

  test("with fewer than 20 finished runs the default holds, and that is said [ChosenFromHistory]", async () => {
    await inStore((store) => remember(store, 19));
    await inStore((store) => remember(store, 50, "limited"));
    const why = "(p90 needs 20 finished runs of Claude Code, and there are 19).";
    const { err, code } = await run(["--max-turns", "p90", ...CLAUDE]);
    expect(err).toContain(`turn-limit: Turn limit set to 25 ${why}\n`);
    expect(provider.requests).toHaveLength(25);
    expect(code).toBe(86);
    const capped = await run(["--max-turns", "p90 up to 4", "--max-tokens", "p90", ...CLAUDE]);
    expect(capped.err).toContain(`turn-limit: Turn limit set to 4 ${why}\n`);
    expect(capped.err).toContain(
      `turn-limit: Token limit not set ${why} To have one until then: --max-tokens 'p90 up to 50k'.\n`,
    );
    expect(provider.requests).toHaveLength(29);
  });

  test("where there is no store yet there are no runs, and none is made to look [ChosenFromHistory]", async () => {
    const { err } = await run(["--max-turns", "p90", "--unlisted", ...CLAUDE]);
    expect(err).toContain(
      "Turn limit set to 25 (p90 needs 20 finished runs of Claude Code, and there are 0).",
    );
    await expect(stat(file)).rejects.toThrow("ENOENT");
  });

  test("of an unlisted run, a failed one and one that asked for nothing, nothing is remembered [RunsAreRemembered]", async () => {
    await run(["--max-turns", "5", "--unlisted", ...CLAUDE], "2");
    await expect(stat(file)).rejects.toThrow("ENOENT");
    expect(await run(["--max-turns", "5", ...CLAUDE], "2", "3")).toMatchObject({ code: 3 });
    expect(await run(["--max-turns", "5", ...CLAUDE], "0")).toMatchObject({ code: 1 });
    expect(await remembered()).toEqual([]);
    await run(["--max-turns", "5", ...CLAUDE], "2");
    expect(await remembered()).toMatchObject([{ end: "finished", took: { turns: 2 } }]);
  });

  test("nothing of prompts, answers, folders or keys is remembered [RunsAreRemembered]", async () => {
    await run(["--max-turns", "5", ...CLAUDE], "2");
    const [kept] = await remembered();
    expect(Object.keys(kept ?? {}).sort()).toEqual(["end", "took"]);
    expect(Object.values(kept?.took ?? {}).filter((value) => typeof value !== "number")).toEqual([{}]);
  });

  test.each([
    ["p0", '"p0" is not a percentile. Use p1 to p99, such as p90.'],
    ["p101", '"p101" is not a percentile. Use p1 to p99, such as p90.'],
    ["p", '"p" is not a percentile. Use p1 to p99, such as p90.'],
    ["p99.9", '"p99.9" is not a percentile. Use p1 to p99, such as p90.'],
    ["p90 up to many", 'After p90 up to, use a whole number, not "many".'],
    ["25 up to 50", "Only a percentile is followed by up to: p90 up to 10."],
    ["90th percentile", 'Write p90, not "90th percentile".'],
    ["p90 per day", "A percentile is of what single runs took: it needs a limit for one run."],
  ])("--max-turns %j is refused, and nothing is started", async (given, why) => {
    const { code, err } = await run(["--max-turns", given, ...CLAUDE]);
    expect(err).toContain(`Invalid turn limit from --max-turns. ${why}`);
    expect(code).toBe(2);
    expect(provider.requests).toHaveLength(0);
  });

  test("a pool that many share has no percentile", async () => {
    const { code, err } = await run(["--pool", "night", "--max-turns", "p90", ...CLAUDE]);
    expect(err).toContain("A percentile is of what single runs took");
    expect(code).toBe(2);
  });

  test("a store that cannot be read is told before the agent starts", async () => {
    await writeFile(file, "somebody's letter");
    const { code, err } = await run(["--max-turns", "p90", ...CLAUDE]);
    expect(err).toContain("is damaged, or is no database");
    expect(code).toBe(1);
    expect(provider.requests).toHaveLength(0);
  });
});

withRedis(() => {
  let redis: RedisServer;
  beforeEach(async () => {
    redis = await RedisServer.start();
    file = redis.address;
  });
  afterEach(() => redis[Symbol.asyncDispose]());
  onEachStore();
});
