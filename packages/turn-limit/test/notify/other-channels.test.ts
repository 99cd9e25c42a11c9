import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenOnLoopback } from "@turn-limit/rig";
import { expect, test } from "vitest";
import type { Ask } from "../../src/core/governor/decision.ts";
import { openNotifier } from "../../src/notify/open-notifier.ts";
import type { Target } from "../../src/notify/target.ts";
import { named } from "../helpers/named.ts";

const TURNS: Ask = { kind: "ask", id: 1, ...named("turns"), used: 25, max: 25 };
const FACTS = { agent: "Claude Code", folder: "/site" };
const QUESTION = {
  about: "question",
  title: "Claude Code in /site",
  text: "Turn limit reached (25/25). Continue?",
  ...FACTS,
  ...named("turns"),
  used: 25,
  max: 25,
  why: null,
};

function notifier(
  target: Target,
  { secret, ...timing }: { secret?: string; within?: number; lastWords?: number } = {},
) {
  const told: string[] = [];
  const opened = openNotifier({
    targets: [target],
    run: { title: "Claude Code in /site", facts: FACTS },
    token: undefined,
    secret,
    env: {},
    warn: (message) => told.push(message),
    timing: { within: 2_000, retryAfter: [1], ...timing },
  });
  const withdrawn = new AbortController();
  const ask = () => opened.places[0]?.ask(TURNS, withdrawn.signal);
  return { opened, ask, told, withdraw: () => withdrawn.abort("Answered in the terminal: no.") };
}

/** A webhook that says this. */
async function webhook(says: string, status = 200, headers = {}) {
  const got: { body: string; signature: unknown }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const more of request.setEncoding("utf8")) body += more;
    got.push({ body, signature: request.headers["turn-limit-signature"] });
    response.writeHead(status, headers).end(says);
  });
  const { port, close } = await listenOnLoopback(server);
  return { target: { kind: "webhook", address: new URL(`http://127.0.0.1:${port}/x`) } as const, got, close };
}

test.each([
  ["yes", true],
  [" no\n", false],
  ['{"reply": "no"}', false],
  ['{"reply": "7"}', { more: 7 }],
  ["1", undefined],
  [" 200\n", undefined],
  ["$2", undefined],
  ["ok", undefined],
  ["", undefined],
  ["<html>yes</html>", undefined],
  ['{"reply": 7}', undefined],
  ["0", undefined],
  ["y".repeat(101), undefined],
])("a webhook that says %j", async (says, reply) => {
  const hook = await webhook(says);
  const { ask, told } = notifier(hook.target);
  expect(await ask()).toEqual(reply);
  expect(hook.got.map(({ body }) => JSON.parse(body))).toEqual([QUESTION]);
  expect(hook.got[0]?.signature).toBeUndefined();
  expect(told).toEqual([]);
  await hook.close();
});

test("what a webhook gets is signed, if there is a secret", async () => {
  const hook = await webhook("no");
  expect(await notifier(hook.target, { secret: "shared" }).ask()).toBe(false);
  const [{ body = "", signature = "" } = {}] = hook.got;
  const [, time = "", signed] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(signature)) ?? [];
  expect(signed).toBe(createHmac("sha256", "shared").update(`${time}.${body}`).digest("hex"));
  expect(Math.abs(Date.now() / 1_000 - Number(time))).toBeLessThan(3_600);
  await hook.close();
});

test("a webhook that fails is asked again, and then told of once", async () => {
  const hook = await webhook("yes", 502);
  const { ask, told, opened } = notifier(hook.target);
  expect(await ask()).toBeUndefined();
  expect(hook.got).toHaveLength(2);
  opened.tell("end", "over");
  await opened.done();
  expect(told).toEqual([
    `webhook at ${hook.target.address.host}: a notification was not sent: the server answered with status 502. Check that it works, and can be reached from here.`,
  ]);
  await hook.close();
});

test("a command reads each notification as a line of JSON, and what it prints is no reply", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-notify-"));
  try {
    const file = join(folder, "told");
    const { ask, opened, told } = notifier({ kind: "command", line: `cat >> '${file}'; echo yes` });
    expect(await ask()).toBeUndefined();
    opened.tell("end", "It ended.", { cost: 1 });
    await opened.done();
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      QUESTION,
      { about: "end", title: "Claude Code in /site", text: "It ended.", ...FACTS, cost: 1 },
    ]);
    expect(told).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("a webhook that redirects is not followed, and its answer does not count", async () => {
  const other = await webhook("yes");
  const hook = await webhook("", 307, { Location: other.target.address.href });
  const { ask, told } = notifier(hook.target, { secret: "shared" });
  expect(await ask()).toBeUndefined();
  expect([hook.got.length, other.got.length]).toEqual([1, 0]);
  expect(told).toEqual([
    `webhook at ${hook.target.address.host}: a notification was not sent: the server answered with status 307. Name the address to which it redirects.`,
  ]);
  await hook.close();
  await other.close();
});

test("a webhook that says very much got its notification once", async () => {
  const hook = await webhook("x".repeat(5_000_000));
  const { ask, told } = notifier(hook.target);
  expect(await ask()).toBeUndefined();
  expect(hook.got).toHaveLength(1);
  expect(told).toEqual([]);
  await hook.close();
});

const MINUTES = 10 * 60_000;

test("a webhook that never answers does not hold a question that was answered elsewhere", async () => {
  const server = createServer(() => {});
  const asked = once(server, "request");
  const { port, close } = await listenOnLoopback(server);
  const address = new URL(`http://127.0.0.1:${port}/x`);
  const { ask, withdraw, opened } = notifier({ kind: "webhook", address }, { within: MINUTES });
  const reply = ask();
  await asked;
  withdraw();
  expect(await reply).toBeUndefined();
  await opened.done();
  opened.close();
  await close();
});

test("a command that never ends does not hold a question that was answered elsewhere", async () => {
  const { ask, withdraw, opened } = notifier({ kind: "command", line: "sleep 1000" }, { within: MINUTES });
  const reply = ask();
  withdraw();
  expect(await reply).toBeUndefined();
  await opened.done();
  opened.close();
});

test("what is not sent at the end of a run is told, and holds the end no longer than that", async () => {
  const line = "sleep 1000";
  const { opened, told } = notifier({ kind: "command", line }, { within: MINUTES, lastWords: 20 });
  opened.tell("budget", "Cost limit nearly reached: $4.50/$5.00.");
  opened.tell("end", "over");
  await opened.done();
  expect(told).toEqual([
    "command sleep: a notification was not sent: it was not done 0.02 s after the end of the run. Run it by hand, with a line of JSON as its input.",
  ]);
  opened.close();
});

test("nothing in a notification is run by the shell", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-notify-"));
  try {
    const file = join(folder, "told");
    const { opened } = notifier({ kind: "command", line: `cat >> '${file}'` });
    const attack = `"; touch '${folder}/pwned'; $(touch '${folder}/pwned') \`touch '${folder}/pwned'\`\n'`;
    opened.tell("end", attack, { limit: attack });
    await opened.done();
    expect(JSON.parse(await readFile(file, "utf8")).limit).toBe(attack);
    expect(await readdir(folder)).toEqual(["told"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each([
  ["exit 3", "command exit", "it ended with 3"],
  ["sleep 1000", "command sleep", "it did not end within 2 s"],
  ["false --token tk_secret", "command false", "it ended with 1"],
  ["TOKEN=tk_secret false", "the command", "it ended with 1"],
])("the command %j is told of without what may be a secret, and holds nothing", async (line, name, why) => {
  const { ask, told } = notifier({ kind: "command", line });
  expect(await ask()).toBeUndefined();
  expect(told).toEqual([
    `${name}: a notification was not sent: ${why}. Run it by hand, with a line of JSON as its input.`,
  ]);
});
