import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { ScriptedProvider } from "@turn-limit/rig";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startEndlessModel } from "./endless-model.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");
const AGENT = join(import.meta.dirname, "agents", "claude-like.mjs");

let folder: string;
let provider: ScriptedProvider;
const started: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "waiting-runs-"));
  provider = await startEndlessModel();
  const claude = join(folder, "bin", "claude");
  await mkdir(dirname(claude));
  await writeFile(claude, `#!/bin/sh\nexec '${process.execPath}' '${AGENT}' "$@"\n`);
  await chmod(claude, 0o755);
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

/** The command as it is installed, without a terminal, while it runs. */
function begun(...args: string[]) {
  const env = {
    PATH: [join(folder, "bin"), process.env.PATH].join(delimiter),
    HOME: folder,
    TZ: process.env.TZ,
    ANTHROPIC_BASE_URL: provider.address,
    TURN_LIMIT_STORE: join(folder, "runs.sqlite"),
  };
  const child = spawn(process.execPath, [BIN, ...args], {
    ...{ cwd: folder, env, detached: true },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  const seen = { out: "", err: "" };
  child.stdout.on("data", (more) => (seen.out += more));
  child.stderr.on("data", (more) => (seen.err += more));
  const ended = once(child, "close").then(([code]) => code as number);
  return { child, seen, ended };
}

async function typed(...args: string[]) {
  const { seen, ended } = begun(...args);
  return { code: await ended, ...seen };
}

const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 60_000, interval: 20 });
const waits = (seen: { err: string }) => seen.err.match(/Waiting until \d\d:\d\d for the /g)?.length ?? 0;

async function parked() {
  return JSON.parse((await typed("parked", "--json")).out).parked;
}

test("a run that waits for the next day is parked where its agent would not wait, and goes on by itself", async () => {
  const { child, seen, ended } = begun("run", "--max-turns", "2 per day wait", "claude", "-p", "x");
  await until(() => waits(seen) === 1);
  expect(provider.requests).toHaveLength(2);
  expect(seen.out).toContain(
    "Turn limit per day reached (2/2). The run is parked here until the limit starts over. turn-limit run goes on with it then.",
  );
  expect(seen.err).toMatch(
    /turn-limit: Waiting until \d\d:\d\d for the turn limit per day \(2\/2\)\. Ctrl\+C leaves it parked\. To go on then: npx turn-limit resume /,
  );
  // There is room again, as on the next day.
  await typed("pools", "extend", "runs per day", "turns", "3");
  await until(() => waits(seen) === 2);
  expect(provider.requests).toHaveLength(5);
  child.kill("SIGINT");
  expect(await ended).toBe(87);
  expect(seen.err).toMatch(
    /turn-limit: parked at 5\/5 turns per day .* 5 requests .*to go on: npx turn-limit resume /,
  );
  expect(await parked()).toMatchObject([
    { question: { limit: "turns per day", used: 5, max: 5, reply: null } },
  ]);
});

test("while it waits it is answered from elsewhere: a yes lets it go on, a no ends it, and it is not parked twice", async () => {
  const { seen, ended } = begun("run", "--max-turns", "1 per day wait", "--json", "claude", "-p", "x");
  await until(() => waits(seen) === 1);
  const [first] = await parked();
  expect(first.question.waits).toEqual({ until: expect.any(Number) });
  await typed("pools", "answer", first.id, first.question.id, "2");
  await until(() => waits(seen) === 2);
  expect(provider.requests).toHaveLength(3);
  const [again, ...others] = await parked();
  expect([again.id, others]).toEqual([first.id, []]);
  await typed("pools", "answer", again.id, again.question.id, "no");
  expect(await ended).toBe(87);
  expect(provider.requests).toHaveLength(3);
  expect(JSON.parse(seen.err.trim().split("\n").at(-1) ?? "")).toMatchObject({ exitCode: 87, requests: 3 });
});

test("where the agent waits for longer than until the next day, its request is held, and sent when there is room", async () => {
  const { child, seen, ended } = begun(
    ...["run", "--max-turns", "1 per day wait", "--hold", "30h", "claude", "-p", "x"],
  );
  await until(() => waits(seen) === 1);
  expect(provider.requests).toHaveLength(1);
  expect(await parked()).toEqual([]);
  await typed("pools", "extend", "runs per day", "turns", "1");
  await until(() => provider.requests.length === 2);
  const runs = JSON.parse((await typed("pools", "--json")).out);
  expect(JSON.stringify(runs)).toContain('"waits":{"until":"');
  child.kill("SIGINT");
  await ended;
});

test("a run that waits, and whose process has ended, goes on with turn-limit resume, which waits as well", async () => {
  const first = begun("run", "--max-turns", "1 per day wait", "claude", "-p", "x");
  await until(() => waits(first.seen) === 1);
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(87);
  const [{ id }] = await parked();
  const second = begun("resume", id);
  // Nothing is allowed by going on: there is no room yet.
  await until(() => waits(second.seen) === 1);
  expect(provider.requests).toHaveLength(1);
  await typed("pools", "extend", "runs per day", "turns", "1");
  await until(() => waits(second.seen) === 2);
  expect(provider.requests).toHaveLength(2);
  second.child.kill("SIGINT");
  expect(await second.ended).toBe(87);
});

test.each([
  ["5 wait", "5 wait needs a period, at the end of which it starts over: 5 per day wait."],
  ["5 per day wait stop", 'After 5 per day wait nothing can follow: leave out "stop".'],
  ["5 per day stop", 'After 5 per day only wait can follow, not "stop".'],
])("%j is refused, and nothing is started", async (limit, why) => {
  const { code, err } = await typed("run", "--max-turns", limit, "claude", "-p", "x");
  expect({ code, err }).toEqual({
    code: 2,
    err: `turn-limit: Invalid turn limit from --max-turns. ${why}\n`,
  });
  expect(provider.requests).toHaveLength(0);
});
