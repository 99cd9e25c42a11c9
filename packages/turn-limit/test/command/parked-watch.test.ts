import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { NtfyServer, type ScriptedProvider } from "@turn-limit/rig";
import { createClient } from "redis";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isRedisInstalled, RedisServer } from "../stores/helpers/redis-server.ts";
import { startEndlessModel } from "./endless-model.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");
const AGENT = join(import.meta.dirname, "agents", "claude-like.mjs");

let folder: string;
let store: string;
let provider: ScriptedProvider;
let started: ChildProcess[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parked-watch-"));
  store = join(folder, "runs.sqlite");
  provider = await startEndlessModel();
  started = [];
  await setClaude(`exec '${process.execPath}' '${AGENT}' "$@"`);
});
afterEach(async () => {
  for (const child of started) await ended(child);
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

/** What stands in the place of the agent is called as it is. */
async function setClaude(script: string): Promise<void> {
  const claude = join(folder, "bin", "claude");
  await mkdir(dirname(claude), { recursive: true });
  await writeFile(claude, `#!/bin/sh\n${script}\n`);
  await chmod(claude, 0o755);
}

function spawned(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const env = {
    PATH: [join(folder, "bin"), process.env.PATH].join(delimiter),
    TZ: process.env.TZ,
    HOME: folder,
    ANTHROPIC_BASE_URL: provider.address,
    TURN_LIMIT_STORE: store,
    ...more,
  };
  return spawn(process.execPath, [BIN, ...args], {
    ...{ cwd: folder, env, detached: true },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** The command as it is installed, without a terminal. */
async function typed(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawned(args);
  const closed = once(child, "close");
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code, out, err };
}

/** A command that stays, and what it and the agents that it starts have printed. */
async function staying(args: readonly string[], isReady: RegExp) {
  const child = spawned(args);
  started.push(child);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
    });
  await expect.poll(() => said).toMatch(isReady);
  return { said: () => said, child };
}

const watching = (...args: string[]) => staying(["resume", "--watch", ...args], /go on here/);

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const over = once(child, "exit");
    child.kill("SIGTERM");
    await over;
  }
  return child.exitCode;
}

interface Parked {
  readonly id: string;
  readonly question: { readonly id: string; readonly reply: unknown; readonly used: number };
}

async function parked(): Promise<Parked[]> {
  return JSON.parse((await typed("parked", "--json")).out).parked;
}

/** The run that is parked with this number of turns used, once it is. */
async function parkedAt(used: number): Promise<Parked> {
  for (;;) {
    const found = (await parked()).find(({ question }) => question?.used === used);
    if (found) return found;
  }
}

const park = (turns = 2) =>
  typed("run", "--max-turns", `${turns}`, "--unanswered", "park", "claude", "-p", "x");
const answer = ({ id, question }: Parked, reply: string) => typed("pools", "answer", id, question.id, reply);

test("a parked run goes on as soon as it is answered with a yes, and not after a no", async () => {
  await park();
  const watch = await watching();
  await answer(await parkedAt(2), "3");
  const again = await parkedAt(3);
  expect(provider.requests).toHaveLength(5);
  expect(watch.said()).toContain(
    "turn-limit: Claude Code in ~ goes on. Answered with turn-limit pools: yes, 3 more turns.",
  );
  await expect.poll(watch.said).toContain("turn-limit: parked at 3/3 turns (Claude Code) · ");
  await answer(again, "no");
  // A later one goes on, so the no was seen.
  await park(4);
  await answer(await parkedAt(4), "1");
  await parkedAt(1);
  expect(provider.requests).toHaveLength(5 + 4 + 1);
  expect(await ended(watch.child)).toBe(0);
});

test("of two that watch, one goes on, and who resumes it by hand does so at the own terminal", async () => {
  await park();
  await watching();
  await watching();
  await answer(await parkedAt(2), "1");
  const again = await parkedAt(1);
  expect(provider.requests).toHaveLength(3);
  expect((await typed("resume", again.id, "3")).err).toContain("turn-limit: parked at 3/3 turns");
  expect(provider.requests).toHaveLength(6);
});

test("an answer to an earlier question lets nothing go on that was parked again since", async () => {
  await park();
  const { id } = await parkedAt(2);
  const { code, err } = await typed("resume", id, "--question", "an-earlier-one");
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining(`${id} has just been resumed, or forgotten, by somebody else.`),
  });
  expect(provider.requests).toHaveLength(2);
  expect(await parkedAt(2)).toMatchObject({ id });
});

test("a run that cannot go on stays parked, and is not tried again and again", async () => {
  await park();
  await setClaude(`echo tried >> '${join(folder, "tried")}'; exit 3`);
  const watch = await watching();
  const first = await parkedAt(2);
  await answer(first, "1");
  await expect.poll(watch.said).toContain(`${first.id} could not go on, and is parked as before.`);
  expect(await parked()).toMatchObject([{ id: first.id, question: { reply: { more: 1 } } }]);
  // Another one is answered, seen and resumed meanwhile.
  await setClaude(`exec '${process.execPath}' '${AGENT}' "$@"`);
  await park(4);
  await answer(await parkedAt(4), "1");
  await parkedAt(1);
  expect(await readFile(join(folder, "tried"), "utf8")).toBe("tried\n");
  expect((await typed("resume", first.id)).code).toBe(87);
});

test("a parked run is asked about on the phone, and goes on by its buttons; one too late is told so", async () => {
  const ntfy = await NtfyServer.start();
  try {
    await park();
    const watch = await watching("--notify", ntfy.target("phone"));
    const first = await ntfy.message("phone");
    expect(first).toMatchObject({
      title: "Claude Code in ~",
      message: "Turn limit reached (2/2). Continue?",
    });
    await ntfy.press(first, "Yes, another 2 turns");
    const says = (wanted: string) =>
      ntfy.until(() => ntfy.messages("phone").some(({ message }) => message.startsWith(wanted)));
    await says("Answered: yes, another 2 turns.");
    const second = await ntfy.until(() => ntfy.messages("phone").filter(({ actions }) => actions)[1]);
    expect(provider.requests).toHaveLength(4);
    expect(watch.said()).toContain("goes on. Answered by ntfy: yes, another 2 turns.");

    // It used four in all, two since the yes.
    const [again] = await parked();
    await answer(again as Parked, "no");
    await says("Answered with turn-limit pools: no.");
    await ntfy.press(second, "Yes, another 2 turns");
    await says("Too late. Answered with turn-limit pools: no.");
    expect(provider.requests).toHaveLength(4);
    expect((await parked())[0]?.question.reply).toBe(false);
    expect(await ended(watch.child)).toBe(0);
  } finally {
    await ntfy.close();
  }
});

test("of a parked run that waits, the phone says until when; of one that was extended, how often", async () => {
  const ntfy = await NtfyServer.start();
  try {
    const day = ["run", "--max-turns", "2 per day wait", "--unanswered", "park", "claude", "-p", "x"];
    const waiting = await staying(day, /Ctrl\+C leaves it parked/);
    await ended(waiting.child);
    await watching("--notify", ntfy.target("phone"));
    expect((await ntfy.message("phone")).message).toMatch(
      /^Waiting until \S.* for the turn limit per day \(2\/2\)\. Continue now\?$/,
    );
    const extended = ["--max-turns", "2 extend 1", "--progress", "true", "--unanswered", "park"];
    await typed("run", ...extended, "claude", "-p", "x");
    const { message } = await ntfy.until(() => ntfy.messages("phone").filter(({ actions }) => actions)[1]);
    expect(message).toBe("Turn limit reached (2/2 · extended 1×: true succeeded). Continue?");
  } finally {
    await ntfy.close();
  }
});

/** What the page does in a browser that is paired. */
async function onPage(said: string, { id, question }: Parked, reply: string) {
  const [, address = "", code = ""] = /open (http:\S+)\/#(\w+),/.exec(said) ?? [];
  const post = async (path: string, body: object, secret = "") =>
    (
      await fetch(`${address}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
        body: JSON.stringify(body),
      })
    ).json() as Promise<Record<string, string>>;
  const { secret } = await post("/api/pair", { code, name: "my phone" });
  const body = { action: "answer", pool: `run@${id}`, words: [question.id, reply] };
  return (await post("/api/act", body, secret)).done;
}

const dashboard = (...args: string[]) => staying(["dashboard", "--port", "0", ...args], /open http:\S+#\w+,/);

test("a yes on the page of the dashboard starts the agent again", async () => {
  await park();
  const { said, child } = await dashboard();
  const first = await parkedAt(2);
  // It looks for parked runs before it shows a code.
  expect(await onPage(said(), first, "1")).toBe("Claude Code in ~ goes on.");
  await parkedAt(1);
  expect(said()).toContain("Claude Code in ~ goes on. Answered on my phone: yes, 1 more turn.");
  expect(provider.requests).toHaveLength(3);
  expect(await ended(child)).toBe(0);
});

test("where others can write to the store nothing is started, unless that is wanted", async () => {
  await park();
  await chmod(store, 0o660);
  const careful = await dashboard();
  const first = await parkedAt(2);
  expect(await onPage(careful.said(), first, "1")).toBe(
    `Claude Code in ~ is parked. To go on with it: npx turn-limit resume ${first.id}`,
  );
  expect(provider.requests).toHaveLength(2);
  await dashboard("--resume");
  await parkedAt(1);
  expect(provider.requests).toHaveLength(3);
});

test.each([
  [["resume", "--watch", "5f0c3a51"], '"5f0c3a51" is one word too many. Use turn-limit resume --watch.'],
  [["resume", "5f0c3a51", "--notify", "ntfy://ntfy.sh/t"], "--notify is for --watch."],
  [["resume", "--watch", "--notify", "phone"], '"phone" from --notify is no place for notifications.'],
])("%o is refused with what is allowed", async (args, message) => {
  expect(await typed(...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});

test("a store that cannot be used is an error at once, and not watched", async () => {
  // A folder is no store.
  expect(await typed("resume", "--watch", "--store", folder)).toMatchObject({
    ...{ code: 1, out: "" },
    err: expect.stringMatching(/^turn-limit: [^\n]*store[^\n]*\n$/),
  });
});

test.runIf(isRedisInstalled && process.platform === "linux")(
  "with Redis the dashboard starts nothing unless that is wanted, and the server's password is in no command line",
  async () => {
    await using server = await RedisServer.start();
    const password = `hidden-${crypto.randomUUID()}`;
    const client = createClient({ url: server.address });
    await client.connect();
    await client.configSet("requirepass", password);
    await client.quit();
    store = server.address.replace("redis://", `redis://:${password}@`);
    await park();
    const lines = join(folder, "lines");
    await setClaude(
      `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' >> '${lines}'; exec '${process.execPath}' '${AGENT}' "$@"`,
    );
    const careful = await dashboard();
    const first = await parkedAt(2);
    expect(await onPage(careful.said(), first, "1")).toBe(
      `Claude Code in ~ is parked. To go on with it: npx turn-limit resume ${first.id}`,
    );
    expect(provider.requests).toHaveLength(2);
    const watch = await watching();
    await parkedAt(1);
    expect(provider.requests).toHaveLength(3);
    const seen = await readFile(lines, "utf8");
    expect(seen).toContain(`resume ${first.id}`);
    expect(seen + careful.said() + watch.said()).not.toContain(password);
  },
);
