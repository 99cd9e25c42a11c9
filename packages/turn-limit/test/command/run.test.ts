import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ScriptedProvider } from "@turn-limit/rig";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runRecord, seenRun } from "../../src/pools/ledger/listed-run.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { startEndlessModel } from "./endless-model.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");
const AGENT = join(import.meta.dirname, "agents", "claude-like.mjs");
const FUSE = ["--profile", "none"];
const CLAUDE = ["--profile", "claude-code"];

let folder: string;
let store: string;
let provider: ScriptedProvider;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turn-limit-run-"));
  store = join(folder, "pools.sqlite");
  provider = await startEndlessModel();
});
afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a command as it is installed, without a terminal, in an environment without settings of the person's own. */
function start(...args: string[]) {
  return started("run", ...args);
}

function started(...args: string[]) {
  const env = {
    PATH: process.env.PATH,
    TZ: process.env.TZ,
    HOME: folder,
    ANTHROPIC_BASE_URL: provider.address,
  };
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    // Without the terminal of whoever runs the tests.
    detached: true,
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => (out += data));
  child.stderr.on("data", (data) => (err += data));
  const ended = once(child, "close").then(([code]) => ({ code, out, err }));
  return { child, ended };
}

/** Runs it to its end, with an agent that goes on for ever if `args` do not say how long. */
function run(options: readonly string[], ...args: string[]) {
  return start("--store", store, ...options, "--", process.execPath, AGENT, ...args).ended;
}

test("any agent is held to requests, and told how to raise the limit", async () => {
  const { code, out, err } = await run(["--max-requests", "3", ...FUSE]);
  expect(provider.requests).toHaveLength(3);
  expect(out).toMatch(/^402 Request limit reached \(3\/3\)\. .*--max-requests/);
  expect(err).toMatch(/^turn-limit: stopped at 3\/3 requests · 3 requests · 3k tokens · \$0\.01 · \d+s\n$/);
  expect(code).toBe(86);
});

test("what a run that gets somewhere was extended by is shown by turn-limit grants [GrantIsKept]", async () => {
  const limits = ["--max-turns", "2 extend 2", "--at-limit", "stop", "--progress", "true"];
  const { code } = await run([...limits, ...CLAUDE], "-p");
  expect(provider.requests).toHaveLength(6);
  expect(code).toBe(86);
  const { out } = await started("grants", "--json", "--store", store).ended;
  const { grants } = JSON.parse(out);
  const to = expect.stringMatching(/^Claude Code in ~/);
  const round = { did: "round", where: "by itself", limit: "turns", by: 2, why: "true succeeded", to };
  expect(grants).toMatchObject([
    { ...round, times: 1 },
    { ...round, times: 2, text: "another 2 turns: true succeeded" },
  ]);
});

test("a progress command that takes longer than the agent waits holds no request for longer, and the policy decides [NoProgress]", async () => {
  const limits = ["--max-turns", "2 extend 2", "--progress", "sleep 600", "--hold", "2s"];
  const stopped = await run([...limits, "--at-limit", "stop", ...CLAUDE], "-p");
  expect(stopped.out).toContain("200 Turn limit reached (2/2).");
  expect(stopped.err).toContain(
    "progress took longer than 2s, and a request is not held for longer. It is taken for no progress.",
  );
  // The person has the rest of that time.
  const asked = await run([...limits, "--ask", "echo 1", ...CLAUDE], "-p", "3");
  expect(asked.err).toContain("progress took longer than 1s,");
  expect(provider.requests).toHaveLength(2 + 3);
});

test("of several limits, the one that was reached is the one to raise", async () => {
  const { out } = await run(["--max-requests", "2", "--max-tokens", "1m", "--max-time", "1h", ...FUSE]);
  expect(out).toContain(" To allow more, raise --max-requests of turn-limit run.");
});

test("an agent with a profile is held to turns, and ends with a text of ours and a code of ours", async () => {
  const { code, out, err } = await run(["--max-turns", "3", "--at-limit", "stop", "--json", ...CLAUDE], "-p");
  expect(provider.requests).toHaveLength(3);
  expect(out).toContain("200 Turn limit reached (3/3).");
  expect(JSON.parse(err)).toMatchObject({
    exitCode: 86,
    agent: { profile: "Claude Code", exitCode: 0, signal: null },
    outcome: "stopped",
    limit: "turns",
    turns: 3,
    requests: 3,
    tokens: { input: 2_700, output: 300 },
  });
  expect(code).toBe(86);
});

test("a run that a frozen pool holds is told how to go on, and not to raise a limit", async () => {
  const limit = ["--max-requests", "9 per day", ...FUSE];
  expect(await run(limit, "1")).toMatchObject({ code: 0 });
  const pools = sqliteStore(store);
  const [record = ""] = await pools.list();
  await pools.change(record, { kind: "freeze", why: "", key: "by hand" });
  await pools.close();
  const { code, out } = await run(limit);
  expect(provider.requests).toHaveLength(1);
  expect(out).toContain(
    "402 The pool runs per day is frozen. No more requests are sent in this run. " +
      `To go on: npx turn-limit pools unfreeze 'runs per day' --store ${store}`,
  );
  expect(out).not.toContain("--max-requests");
  expect(code).toBe(86);
});

test("runs share the limit of a day", async () => {
  const limit = ["--max-requests", "4 per day", ...FUSE];
  expect(await run(limit, "3")).toMatchObject({ code: 0 });
  const { code, out, err } = await run(limit);
  expect(provider.requests).toHaveLength(4);
  expect(out).toMatch(
    new RegExp(
      "402 Request limit per day reached \\(4/4\\)\\. No more requests are sent in this run\\. " +
        "The limit starts over at .*00:00\\. To allow more, raise --max-requests of turn-limit run\\.",
    ),
  );
  expect(err).toContain("stopped at 4/4 requests per day · 1 request ·");
  expect(code).toBe(86);
});

test("runs share a pool, whose limits only the first has to give", async () => {
  expect(await run(["--pool", "night", "--max-requests", "4", ...FUSE], "3")).toMatchObject({ code: 0 });
  expect((await run(["--pool", "night", ...FUSE])).err).toContain("stopped at 4/4 requests of pool night");
  expect(provider.requests).toHaveLength(4);
  // A limit that somebody else gives later is one more.
  const more = await run(["--pool", "night", "--max-tokens", "1m", ...FUSE]);
  expect(more.out).toContain(`npx turn-limit pools extend night requests 10 --store ${store}`);
  expect(provider.requests).toHaveLength(4);
  const unknown = await run(["--pool", "nigth", ...FUSE]);
  expect(unknown).toMatchObject({ code: 2, out: "" });
  expect(unknown.err).toContain('"nigth" from --pool is not in the store yet.');
});

test("without a terminal, a limit stops at once", async () => {
  const { code, err } = await run(["--max-turns", "2", ...CLAUDE], "-p");
  expect(provider.requests).toHaveLength(2);
  expect(err).toMatch(/^turn-limit: stopped at 2\/2 turns \(Claude Code\) · [^\n]*\n$/);
  expect(code).toBe(86);
});

test("a command that cannot ask is not a person who stopped the run", async () => {
  const { code, out, err } = await run(["--max-turns", "2", "--ask", "exit 3", ...CLAUDE], "-p");
  expect(out).toContain("Turn limit reached (2/2). Nobody answered, so the run was stopped here.");
  expect(err).toMatch(
    /^turn-limit: --ask exit 3: no reply: it ended with 3\.\nturn-limit: stopped at 2\/2 turns /,
  );
  expect(code).toBe(86);
});

test("to wrap up a second time in a row is a stop", async () => {
  const { code, err } = await run(["--max-turns", "2", "--ask", "echo wrap-up", ...CLAUDE], "-p");
  expect(provider.requests).toHaveLength(3);
  expect(err).toContain("turn-limit: stopped at 3/2 turns");
  expect(code).toBe(86);
});

test("a run inside another one counts once for the day", async () => {
  const limit = ["--store", store, "--max-requests", "4 per day", ...FUSE, "--"];
  const { code, err } = await start(
    ...limit,
    process.execPath,
    BIN,
    "run",
    ...limit,
    process.execPath,
    AGENT,
    "3",
  ).ended;
  expect(provider.requests).toHaveLength(3);
  expect(err).toMatch(/^turn-limit: completed · 3 requests ·.*\nturn-limit: completed · 3 requests ·/);
  expect(code).toBe(0);
  expect((await run(["--max-requests", "4 per day", ...FUSE])).err).toContain(
    "stopped at 4/4 requests per day · 1 request ·",
  );
  const other = ["--store", store, "--max-requests", "5 per day", ...FUSE, "--"];
  const differs = await start(...limit, process.execPath, BIN, "run", ...other, process.execPath, AGENT)
    .ended;
  expect(differs.err).toContain('draws from the pool "runs per day", too, with other limits.');
  expect(differs.code).toBe(2);
  expect(provider.requests).toHaveLength(4);
});

test.each([
  ["requests", ["--max-requests", "2", ...FUSE], "2/2 requests"],
  ["turns, which ends it with a text", ["--max-turns", "2", "--at-limit", "stop", ...CLAUDE], "2/2 turns"],
  ["a pool", ["--pool", "nächt", "--max-requests", "2", ...FUSE], "2/2 requests of pool nächt"],
])("a run that a limit of the run around it stopped says so, and exits with 86: %s", async (_, outer, at) => {
  const limited = (limits: readonly string[]) => ["--store", store, ...limits, "--", process.execPath];
  const inner = [BIN, "run", ...limited(["--max-requests", "9", ...FUSE]), AGENT];
  const script = `const { spawnSync } = require("node:child_process");
    const { status } = spawnSync(process.execPath, ${JSON.stringify(inner)}, { stdio: "inherit" });
    console.log("inner", status);`;
  const file = join(folder, "starts-a-run.cjs");
  await writeFile(file, script);
  const { code, out, err } = await start(...limited(outer), file).ended;
  expect(provider.requests).toHaveLength(2);
  expect(out).toContain("inner 86\n");
  expect(err).toContain(`turn-limit: stopped at ${at} of the run around this one · 3 requests`);
  expect(err).toMatch(new RegExp(`^turn-limit: stopped at ${at} [·(]`, "m"));
  expect(code).toBe(86);
});

test("a run inside another one that talks to a provider directly counts for itself", async () => {
  const limit = ["--store", store, "--max-requests", "4 per day", ...FUSE];
  const inner = ["--route", `ANTHROPIC_BASE_URL=${provider.address}`, "--", process.execPath, AGENT];
  const { err } = await start(...limit, "--", process.execPath, BIN, "run", ...limit, ...inner).ended;
  expect(provider.requests).toHaveLength(4);
  expect(err).toContain("turn-limit: stopped at 4/4 requests per day · 4 requests ·");
});

test("without a terminal, a person is asked by the pools in another one if that is wanted", async () => {
  const asks = ["--store", store, "--max-turns", "2", "--at-limit", "ask", ...CLAUDE];
  const asked = start(...asks, "--", process.execPath, AGENT, "-p");
  const pools = sqliteStore(store);
  try {
    for (const reply of [{ more: 1 }, false]) {
      const question = await openQuestion(pools);
      expect(question).toMatchObject({ name: "Claude Code in ~", limit: "turns", max: reply ? 2 : 1 });
      const person = { where: "on the phone", to: question.name };
      const answer = { kind: "answer", question: question.id, reply, key: question.id, person } as const;
      expect((await pools.change(question.record, answer)).made).toBe(true);
    }
    const { code, err } = await asked.ended;
    const opened = `A question is open. Answer it in another terminal: npx turn-limit pools --store ${store}\n`;
    expect(err.split(opened)).toHaveLength(3);
    expect(err).toContain(
      "turn-limit: stopped by a person at 1/1 turns (Claude Code) · 3 turns · 3 requests",
    );
    expect(code).toBe(86);
    expect(provider.requests).toHaveLength(3);
    expect(err).toContain("turn-limit: Answered on the phone: yes, 1 more turn.\n");
    expect(err).toContain("turn-limit: Answered on the phone: no.\n");
    expect((await pools.grants()).map(({ reply }) => reply)).toEqual([{ more: 1 }, false]);
    expect(await pools.runs()).toEqual([]);
  } finally {
    await pools.close();
  }
});

test("an unlisted run is asked about in the pool of runs", async () => {
  const asks = ["--store", store, "--max-turns", "1", "--at-limit", "ask", "--unlisted", ...CLAUDE];
  const asked = start(...asks, "--", process.execPath, AGENT, "-p");
  const pools = sqliteStore(store);
  try {
    for (;;) {
      const questions = Object.values((await pools.read("runs"))?.state.questions ?? {});
      const id = questions.find(({ reply }) => reply === undefined)?.id;
      if (id === undefined) await pause(20);
      else {
        await pools.change("runs", { kind: "answer", question: id, reply: false, key: id });
        break;
      }
    }
    expect(await pools.runs()).toEqual([]);
    expect((await asked.ended).code).toBe(86);
  } finally {
    await pools.close();
  }
});

test("a run is listed while it works, is extended and stopped from elsewhere, and says who did it [StoppedFromElsewhere]", async () => {
  const { ended } = start(
    ...["--store", store, "--max-requests", "90", ...CLAUDE],
    ...["--", process.execPath, AGENT, "-p", "slow"],
  );
  const pools = sqliteStore(store);
  try {
    const run = await listedRun(pools);
    expect(run).toMatchObject({ agent: "Claude Code", name: "Claude Code in ~", folder: expect.any(String) });
    expect(run.limits.map(({ limit }) => limit)).toContain("requests");
    const person = { where: "on the phone", to: run.name };
    const record = runRecord(run.id);
    await pools.change(record, { kind: "extend", measure: "requests", by: 1_000, key: "1", person });
    for (;;) {
      const [limit] = (await listedRun(pools)).limits.filter(({ limit }) => limit === "requests");
      if (limit?.max === 1_090) break;
      await pause(20);
    }
    await pools.change(record, { kind: "stop", why: "", key: "2", person });
    const { code, err } = await ended;
    expect(code).toBe(86);
    expect(err).toContain("turn-limit: Allowed on the phone: 1000 more requests.\n");
    expect(err).toContain("turn-limit: Stopped on the phone.\n");
    expect(err).toMatch(/turn-limit: stopped on the phone \(Claude Code\) · /);
    expect(await pools.runs()).toEqual([]);
  } finally {
    await pools.close();
  }
});

test("after kill -9 a run disappears with its lease [SilentRunIsGone]", async () => {
  const { child } = start(
    ...["--store", store, "--max-requests", "100000", ...CLAUDE],
    ...["--", process.execPath, AGENT, "-p", "slow"],
  );
  const pools = sqliteStore(store);
  const later = sqliteStore(store, { now: () => Date.now() + 61_000 });
  try {
    const { id } = await listedRun(pools);
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    expect((await listedRun(pools)).id).toBe(id);
    expect(await later.runs()).toEqual([]);
    expect((await later.change(runRecord(id), { kind: "stop", why: "", key: "1" })).made).toBe(false);
  } finally {
    await pools.close();
    await later.close();
  }
});

async function listedRun(pools: Store) {
  for (;;) {
    const [run] = (await pools.runs()).map(seenRun);
    if (run) return run;
    await pause(20);
  }
}

async function openQuestion(pools: Store) {
  for (;;) {
    const [run] = (await pools.runs()).map(seenRun);
    const [question] = run?.questions ?? [];
    if (run && question) return { ...question, record: runRecord(run.id) };
    await pause(20);
  }
}

test("nobody holds a request for longer than --hold", async () => {
  const { code, out, err } = await run(
    ["--max-turns", "1", "--hold", "1s", "--ask", "sleep 1000", ...CLAUDE],
    "-p",
  );
  expect(out).toContain("Turn limit reached (1/1). Nobody answered, so the run was stopped here. To allow");
  expect(err).toContain("turn-limit: stopped at 1/1 turns");
  expect(code).toBe(86);
});

test("otherwise the exit code is the agent's, and signals reach it", async () => {
  expect(await run(["--max-requests", "9", ...FUSE], "1", "7")).toMatchObject({
    code: 7,
    err: expect.stringContaining("turn-limit: ended with exit code 7 · 1 request ·"),
  });
  const held = start(
    "--max-turns",
    "1",
    "--ask",
    "sleep 1000",
    ...CLAUDE,
    "--",
    process.execPath,
    AGENT,
    "-p",
  );
  await provider.waitForRequest(2);
  held.child.kill("SIGTERM");
  expect((await held.ended).code).toBe(5);
  const killed = await start("--max-requests", "9", "--", "sh", "-c", "kill -9 $$").ended;
  expect(killed).toMatchObject({ code: 137, err: expect.stringContaining("turn-limit: ended by SIGKILL") });
});

test("what cannot be started is said, and nothing is left", async () => {
  expect(await start("--max-requests", "9", "--", "no-such-agent").ended).toEqual({
    code: 127,
    out: "",
    err: 'turn-limit: "no-such-agent" was not found. Check its name, and that it is installed.\n',
  });
  const text = join(folder, "text");
  await writeFile(text, "not a program");
  await chmod(text, 0o600);
  expect(await start("--max-requests", "9", "--", text).ended).toMatchObject({ code: 126, out: "" });
  const mistyped = await run(["--max-requests", "many", ...FUSE]);
  expect(mistyped).toMatchObject({ code: 2, out: "" });
  expect(provider.requests).toHaveLength(0);
  expect(await readdir(folder)).toEqual(["text"]);
});
