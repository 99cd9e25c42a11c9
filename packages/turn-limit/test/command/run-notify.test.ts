import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NtfyServer, type ScriptedProvider } from "@turn-limit/rig";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { startEndlessModel } from "./endless-model.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");
const AGENT = join(import.meta.dirname, "agents", "claude-like.mjs");
const CLAUDE = ["--profile", "claude-code"];

let folder: string;
let store: string;
let provider: ScriptedProvider;
let server: NtfyServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turn-limit-notify-"));
  store = join(folder, "pools.sqlite");
  provider = await startEndlessModel();
  server = await NtfyServer.start();
});
afterEach(async () => {
  await server.close();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a command as it is installed, without a terminal. */
async function run(options: readonly string[], line = [process.execPath, AGENT, "-p"], more: object = {}) {
  const env = { PATH: process.env.PATH, HOME: folder, ANTHROPIC_BASE_URL: provider.address, ...more };
  const child = spawn(process.execPath, [BIN, "run", "--store", store, ...options, "--", ...line], {
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
  const [code] = await once(child, "close");
  return { code, out, err };
}

test("without a terminal a question is answered on the phone: yes, a smaller amount, no", async () => {
  const ended = run(["--max-turns", "10", "--notify", server.target("phone"), ...CLAUDE]);
  const first = await server.message("phone");
  expect(first).toMatchObject({
    title: "Claude Code in ~",
    message: "Turn limit reached (10/10). Continue?",
  });
  expect(provider.requests).toHaveLength(10);
  await server.press(first, "Yes, another 10 turns");
  // Each question is followed by what became of it.
  const second = await server.message("phone", 2);
  expect(provider.requests).toHaveLength(20);
  await server.press(second, "Yes, 2 more turns");
  const third = await server.message("phone", 4);
  expect(third.message).toBe("Turn limit reached (2/2). Continue?");
  expect(provider.requests).toHaveLength(22);
  await server.press(third, "No");
  const { code, err } = await ended;
  expect(code).toBe(86);
  expect(provider.requests).toHaveLength(22);
  expect(err.split("\n").slice(0, 3)).toEqual([
    "turn-limit: Answered by ntfy: yes, another 10 turns.",
    "turn-limit: Answered by ntfy: yes, 2 more turns.",
    "turn-limit: Answered by ntfy: no.",
  ]);
  expect(err).toContain("turn-limit: stopped by a person at 2/2 turns (Claude Code) · 22 turns");
  expect(server.messages("phone")[5]?.message).toBe("Answered: no.");
  const pools = sqliteStore(store);
  expect((await pools.grants()).map(({ where, reply }) => [where, reply])).toEqual([
    ["by ntfy", true],
    ["by ntfy", { more: 2 }],
    ["by ntfy", false],
  ]);
  await pools.close();
});

test.each<[string, NtfyServer["fails"]]>([
  ["answers with 500", { publish: 500 }],
  ["refuses to be listened to", { listen: 403 }],
])("a server that %s holds no run: the limit stops it, and a line says why", async (_, fails) => {
  server.fails = fails;
  const target = ["--notify", server.target("phone"), "--notify-on", "end"];
  const { code, err } = await run(["--max-turns", "2", ...target, ...CLAUDE]);
  expect(code).toBe(86);
  expect(provider.requests).toHaveLength(2);
  expect(err.match(/^turn-limit: ntfy at /gm)).toHaveLength(1);
  expect(err).toContain("turn-limit: stopped at 2/2 turns (Claude Code) · 2 requests");
});

test("80 % of a budget and the end are told, of any program, and to several places", async () => {
  const file = join(folder, "told");
  const places = ["--notify", server.target("phone"), "--notify", `command:cat >> '${file}'`];
  const limits = ["--max-requests", "5", "--profile", "none", "--notify-on", "budget,end"];
  const { code, err } = await run([...limits, ...places]);
  expect(code).toBe(86);
  const told = server.messages("phone").map(({ message }) => message);
  expect(told).toEqual([
    "Request limit nearly reached: 4/5.",
    expect.stringMatching(/^The run: stopped at 5\/5 requests · 5 requests · /),
  ]);
  expect(err).toMatch(/^turn-limit: stopped at 5\/5 requests .*\n$/);
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).about)).toEqual(["budget", "end"]);
});

test("an agent that does nothing for a while is told of once, while it works on", async () => {
  const go = join(folder, "go");
  const idle = ["--max-requests", "5", "--profile", "none", "--notify-on", "idle=1s"];
  const ended = run(
    [...idle, "--notify", server.target("phone")],
    ["sh", "-c", `until [ -e '${go}' ]; do sleep 0.1; done`],
  );
  expect((await server.message("phone")).message).toBe("Nothing has happened for 1s.");
  await writeFile(go, "");
  await ended;
  expect(server.messages("phone")).toHaveLength(1);
});

test("the agent gets neither the place of notifications nor the secrets of their servers", async () => {
  const print = `console.log(JSON.stringify(Object.keys(process.env).filter((name) => name.includes("NOTIFY"))))`;
  const more = {
    TURN_LIMIT_NOTIFY: server.target("phone"),
    TURN_LIMIT_NOTIFY_TOKEN: "tk_x",
    TURN_LIMIT_NOTIFY_SECRET: "s",
  };
  const line = [process.execPath, "-e", print];
  const { out } = await run(["--max-requests", "5", "--notify-on", "end", "--profile", "none"], line, more);
  expect(out).toBe("[]\n");
  expect(server.messages("phone")).toHaveLength(1);
});

const NTFY = ["--notify", "ntfy://ntfy.example/t"];

test.each<[string, string[], object, string]>([
  [
    "a place that is none",
    ["--notify", "https://ntfy.sh/t"],
    {},
    '"https://ntfy.sh/t" from --notify is no place for notifications. Use ntfy://HOST/TOPIC, ',
  ],
  [
    "a password in an address",
    ["--notify", "ntfy://me:secret@ntfy.sh/t"],
    {},
    "from --notify has a user name or a password in it",
  ],
  [
    "a variable that names no place",
    [],
    { TURN_LIMIT_NOTIFY: "phone" },
    '"phone" from TURN_LIMIT_NOTIFY is no place for notifications.',
  ],
  [
    "an occasion that is none",
    [...NTFY, "--notify-on", "end,lunch"],
    {},
    '"lunch" from --notify-on is nothing',
  ],
  [
    "an idle time that is none",
    [...NTFY, "--notify-on", "idle=0s"],
    {},
    '"idle=0s" from --notify-on is nothing',
  ],
  ["occasions without a place", ["--notify-on", "end"], {}, "--notify-on end needs a place"],
  ["nothing to tell", [...NTFY, "--at-limit", "stop"], {}, "--notify would tell nothing"],
  [
    "a token for two servers",
    [...NTFY, "--notify", "ntfy://other.example/t"],
    { TURN_LIMIT_NOTIFY_TOKEN: "tk_1" },
    "TURN_LIMIT_NOTIFY_TOKEN is for one server of ntfy",
  ],
  [
    "a token that is none",
    NTFY,
    { TURN_LIMIT_NOTIFY_TOKEN: "tk with spaces" },
    "TURN_LIMIT_NOTIFY_TOKEN is not a token of ntfy",
  ],
])("%s is an error that says what is allowed, and nothing is started", async (_, options, env, message) => {
  const { code, err } = await run(["--max-turns", "2", ...options, ...CLAUDE], undefined, env);
  expect(err).toContain(message);
  expect(err).not.toContain("secret");
  expect(code).toBe(2);
  expect(provider.requests).toHaveLength(0);
});
