import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { calls, type ScriptedProvider, startScriptedProvider, withUsage } from "@turn-limit/rig";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";

const REPOSITORY = join(import.meta.dirname, "..");
const AGENT = join(REPOSITORY, "packages", "turn-limit", "test", "command", "agents", "claude-like.mjs");
const PRICES = join("node_modules", "@pydantic");

// As a runner has it: what git tracks, with nothing installed and nothing built.
let action: string;
let folder: string;
let provider: ScriptedProvider;

beforeAll(async () => {
  action = await mkdtemp(join(tmpdir(), "action-"));
  const { stdout } = await promisify(execFile)(
    "git",
    [
      "ls-files",
      "--cached",
      "--others",
      "--exclude-standard",
      "-z",
      "action",
      "action.yml",
      "packages/turn-limit",
    ],
    { cwd: REPOSITORY, maxBuffer: 1e8 },
  );
  const files = stdout.split("\0").filter((file) => file !== "");
  for (const file of files)
    await cp(join(REPOSITORY, file), join(action, file), { recursive: true }).catch((error) => {
      if (error.code !== "ENOENT") throw error; // Deleted, and not committed yet.
    });
});
afterAll(() => rm(action, { recursive: true, force: true }));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "job-"));
  const answer = withUsage(
    { promptTokens: 900, completionTokens: 100 },
    calls({ name: "look", arguments: {} }),
  );
  provider = await startScriptedProvider(() => answer);
});
afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the action as a runner does: its inputs are variables, and what it tells the runner is in files. */
async function runAction(inputs: Record<string, string>, { hasPrices = true, env = {} } = {}) {
  // A test has no registry. What npm would install is here already.
  await rm(join(action, "action", "node_modules"), { recursive: true, force: true });
  if (hasPrices) await cp(join(REPOSITORY, PRICES), join(action, "action", PRICES), { recursive: true });
  const files = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_STEP_SUMMARY: join(folder, "summary") };
  for (const file of Object.values(files)) await writeFile(file, "");
  const defaults = { "at-limit": "stop", "working-directory": ".", "fail-at-limit": "true" };
  const given = Object.entries({ ...defaults, ...inputs });
  const variables = Object.fromEntries(given.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]));
  const child = spawn(process.execPath, [join(action, "action", "main.ts")], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      ANTHROPIC_BASE_URL: provider.address,
      npm_config_offline: "true",
      npm_config_cache: join(folder, "npm"),
      ...env,
      ...files,
      ...variables,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let log = "";
  child.stdout.on("data", (data) => (log += data));
  child.stderr.on("data", (data) => (log += data));
  const [code] = await once(child, "close");
  const lines = (await readFile(files.GITHUB_OUTPUT, "utf8")).trim().split("\n");
  const outputs = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
  return { code, log, outputs, summary: await readFile(files.GITHUB_STEP_SUMMARY, "utf8") };
}

function agent(...words: string[]): string {
  return `"${process.execPath}" "${AGENT}" ${words.join(" ")}`;
}

test("a run that a limit ended fails the step, and is told as a limit", async () => {
  const { code, log, outputs, summary } = await runAction({ run: agent(), "max-requests": "3" });
  expect(provider.requests).toHaveLength(3);
  expect(code).toBe(86);
  expect(log).toContain("::error title=A limit ended the run::stopped at 3/3 requests");
  expect(outputs).toEqual({
    outcome: "stopped",
    limited: "true",
    limit: "requests",
    "exit-code": "86",
    turns: expect.any(String),
    requests: "3",
    tokens: "3000",
    cost: expect.stringMatching(/^0\.01/),
  });
  expect(summary).toContain("stopped at 3/3 requests");
  expect(summary).toContain("| Requests | 3 |\n| Tokens | 3k |\n| Cost | $0.01 |");
});

test("with fail-at-limit: false the step succeeds, with a warning", async () => {
  const { code, log } = await runAction({ run: agent(), "max-requests": "2", "fail-at-limit": "false" });
  expect(provider.requests).toHaveLength(2);
  expect(log).toContain("::warning title=A limit ended the run::");
  expect(code).toBe(0);
});

/** The commands that a runner obeys in a log. */
function obeyed(log: string): string[] {
  let stopped: string | undefined;
  const commands: string[] = [];
  for (const line of log.split("\n").map((one) => one.trimStart())) {
    const [, name = "", rest] = /^::([^:\s]*)[^:]*::(.*)$/.exec(line) ?? [];
    if (stopped !== undefined) stopped = name === stopped ? undefined : stopped;
    else if (name === "stop-commands") stopped = rest;
    else if (name !== "") commands.push(line);
  }
  return commands;
}

test("no command in the output of the agent is obeyed, and the limit is told all the same", async () => {
  const attack = [
    "echo '::set-output name=limited::false'",
    "printf '::error title=Forged::by the agent\n ::add-mask::stopped\n'",
    "echo '::warning::on the other stream' >&2",
    "echo '::stop-commands::mine'",
    "printf 'no line end'",
  ];
  const { log } = await runAction({ run: `${attack.join("; ")}; ${agent()}`, "max-requests": "2" });
  expect(log).toContain("::set-output name=limited::false");
  expect(obeyed(log)).toEqual([expect.stringMatching(/^::error title=A limit ended the run::/)]);
});

test("what the agent writes for the runner replaces no output, and hides no summary", async () => {
  const attack = [
    'printf "limited=false\\ncost=0\\nx<<limited=true\\n" >> "$GITHUB_OUTPUT"',
    'printf "# Mine\\n\\n\\140\\140\\140\\n" >> "$GITHUB_STEP_SUMMARY"',
  ];
  const { outputs, summary } = await runAction({
    run: `${attack.join("; ")}; ${agent()}`,
    "max-requests": "2",
  });
  expect(outputs).toMatchObject({ limited: "true", limit: "requests", requests: "2" });
  expect(outputs).not.toHaveProperty("x<<limited");
  expect(summary).toMatch(/^### turn-limit\n.*\n# Mine\n/s);
});

test("the agent gets no token of the runner that a step with a command would not get", async () => {
  const tokens = { ACTIONS_RUNTIME_TOKEN: "t", ACTIONS_RESULTS_URL: "u", ACTIONS_CACHE_URL: "c" };
  const own = { ACTIONS_ID_TOKEN_REQUEST_URL: "i", ANTHROPIC_API_KEY: "k" };
  const { log } = await runAction(
    { run: `env | grep -o "^[A-Z_]*="; ${agent("1")}`, "max-requests": "2" },
    { env: { ...tokens, ...own } },
  );
  for (const name of Object.keys(own)) expect(log).toContain(`${name}=`);
  for (const name of Object.keys(tokens)) expect(log).not.toContain(`${name}=`);
});

test("nobody is asked on a runner", async () => {
  const { code, log } = await runAction({ run: agent(), "max-requests": "2", "at-limit": "ask" });
  expect(log).toContain('"ask" for the input "at-limit" is not allowed. Use stop or answer.');
  expect(code).toBe(2);
  expect(provider.requests).toHaveLength(0);
});

test("a run that ends by itself succeeds, and its output is in the log", async () => {
  const { code, log, outputs } = await runAction({ run: `echo hello; ${agent("2")}`, "max-requests": "9" });
  expect(log).toContain("hello");
  expect(log).toMatch(/^turn-limit: completed · 2 requests · 2k tokens · \$0\.0084/m);
  expect(obeyed(log)).toEqual([]);
  expect(outputs).toMatchObject({ outcome: "completed", limited: "false", limit: "", "exit-code": "0" });
  expect(code).toBe(0);
});

test("an agent that fails is told as that, also in the middle of a pipe", async () => {
  const { code, log } = await runAction({ run: `${agent("1", "7")} | cat`, "max-requests": "9" });
  expect(log).toContain("::error title=The run failed::ended with exit code 7");
  expect(code).toBe(7);
});

test("a bad input starts nothing, and says what is allowed", async () => {
  const bad = await runAction({ run: agent(), "max-requests": "many" });
  expect(bad.code).toBe(2);
  expect(bad.log).toMatch(/::error title=turn-limit could not start the run::.*"many"/);
  expect(bad.outputs).toMatchObject({ outcome: "", "exit-code": "2", requests: "0" });
  const none = await runAction({ run: agent() });
  expect(none.log).toContain("No limit is given");
  const missing = await runAction({ run: " ", "max-requests": "3" });
  expect(missing.log).toContain('The input "run" is missing');
  const elsewhere = await runAction({ run: agent(), "max-requests": "3", "working-directory": "not-here" });
  expect(elsewhere.log).toContain('"not-here" for the input "working-directory" is not a folder');
  const maybe = await runAction({ run: agent(), "max-requests": "3", "fail-at-limit": "maybe" });
  expect(maybe.log).toContain('"maybe" for the input "fail-at-limit" is not allowed. Use true or false.');
  expect(provider.requests).toHaveLength(0);
});

test("a cost limit holds at list prices, and is refused where these cannot be installed", async () => {
  const held = await runAction({ run: agent(), "max-cost": "$0.01" });
  expect(held.log).toContain("::error title=A limit ended the run::");
  const sent = provider.requests.length;
  expect(sent).toBe(3);
  const refused = await runAction({ run: agent(), "max-cost": "$0.01" }, { hasPrices: false });
  expect(refused.log).toContain("::warning title=No list of prices::");
  expect(provider.requests).toHaveLength(sent);
  expect(refused.code).not.toBe(0);
});

test("the inputs and outputs that are documented are those that exist", async () => {
  const text = await readFile(join(REPOSITORY, "action.yml"), "utf8");
  const [, documented = ""] = /^outputs:\n(.*?)^runs:/ms.exec(text) ?? [];
  const names = [...documented.matchAll(/^ {2}([\w-]+):/gm)].map(([, name]) => name);
  const { outputs } = await runAction({ run: "true", "max-requests": "1" });
  expect(Object.keys(outputs).sort()).toEqual(names.sort());
});
