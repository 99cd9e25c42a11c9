import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Conversation, type SessionsFolder, sessionsFolder } from "./stats-history.ts";

const bin = fileURLToPath(new URL("../dist/cli.cjs", import.meta.url));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function run(args: readonly string[], { node = [], env = {} }: { node?: string[]; env?: object } = {}) {
  return new Promise<Ended>((resolve) => {
    const options = { env: { PATH: process.env.PATH, HOME: "/nowhere", ...env }, maxBuffer: 2 ** 26 };
    execFile(process.execPath, [...node, bin, ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}

/** Every file in a folder, with its content and when it was changed. */
async function snapshot(folder: string): Promise<unknown[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const { mtimeMs, size } = await stat(path);
      return [name, mtimeMs, size, await readFile(path, "utf8").catch(() => "")];
    }),
  );
}

test("stats prints the report, and leaves every file as it was", async () => {
  await using folder = await sessionsFolder();
  await folder.write("--project--/one", [...new Conversation().prompt().turns(30).lines, "{broken"]);
  const before = await snapshot(folder.agentDir);
  const { code, stdout, stderr } = await run(["stats", "--agent-dir", folder.agentDir]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("1 prompt in 1 session\n1 broken line skipped\n");
  expect(stdout).toMatch(/^ +25 +100\.0 % +1 prompt +\(the default\)$/m);
  expect(stdout).toMatch(/^ +30 +0\.0 % +0 prompts +\(covers 99 %\)$/m);
  expect(await snapshot(folder.agentDir)).toEqual(before);
});

test("stats --json prints the numbers", async () => {
  await using folder = await sessionsFolder();
  await folder.write("one", new Conversation().prompt().turns(3).prompt().turns(1).lines);
  const { code, stdout } = await run(["stats", "--json", "--agent-dir", folder.agentDir]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    folder: folder.path,
    sessions: 1,
    prompts: 2,
    unanswered: 0,
    skippedLines: 0,
    unreadableFiles: 0,
    turns: { median: 1, p90: 3, p99: 3, max: 3 },
    steps: { median: 0, p90: 2, p99: 2, max: 2 },
    tokens: { median: 120, p90: 360, p99: 360, max: 360 },
    cacheTokens: { max: 0 },
    dollars: { median: 0.01, max: 0.03 },
    unpriced: 0,
    histogram: [
      { from: 1, to: 1, prompts: 1 },
      { from: 2, to: 2, prompts: 0 },
      { from: 3, to: 5, prompts: 1 },
    ],
    limits: [
      { limit: 3, stopped: 0, share: 0, covers99: true },
      { limit: 5 },
      { limit: 10 },
      { limit: 25, default: true },
      { limit: 50 },
      { limit: 100 },
    ],
  });
});

test("the agent folder is Pi's own unless one is given", async () => {
  await using folder = await sessionsFolder();
  await folder.write("one", new Conversation().prompt().turns(1).lines);
  const { stdout } = await run(["stats"], { env: { PI_CODING_AGENT_DIR: folder.agentDir } });
  expect(stdout).toContain("1 prompt in 1 session");
  const elsewhere = await run(["stats"], { env: { PI_CODING_AGENT_SESSION_DIR: folder.path } });
  expect(elsewhere.stdout).toContain("1 prompt in 1 session");
});

test("an empty history is no failure", async () => {
  await using folder = await sessionsFolder();
  const { code, stdout } = await run(["stats", "--agent-dir", folder.agentDir]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `No prompts yet.\nLooked in ${folder.path}\n` });
  const { stdout: json } = await run(["stats", "--json", "--agent-dir", folder.agentDir]);
  expect(JSON.parse(json)).toMatchObject({ prompts: 0, sessions: 0, histogram: [], limits: [] });
});

test("an agent folder that is not there is an error, which names it", async () => {
  await using folder = await sessionsFolder();
  const mistyped = `${folder.agentDir}x`;
  const { code, stdout, stderr } = await run(["stats", "--agent-dir", mistyped]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe(`${mistyped} is not a folder. Use --agent-dir with Pi's agent folder.\n`);
  const file = await folder.write("one", []);
  expect(await run(["stats", "--agent-dir", file])).toMatchObject({ code: 1, stdout: "" });
});

test.for([
  { args: [], said: "No command given" },
  { args: ["status"], said: 'Unknown command "status"' },
  { args: ["stats", "all"], said: 'Unknown argument "all"' },
  { args: ["stats", "--jsn"], said: "--jsn" },
  { args: ["stats", "--agent-dir"], said: "--agent-dir" },
  { args: ["stats", "--agent-dir="], said: "--agent-dir needs a folder" },
])("$args is refused, with the reason and the usage", async ({ args, said }) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr.split("\n")[0]).toContain(said);
  expect(stderr).toContain("Usage: pi-turn-limit stats [--agent-dir DIR] [--json]");
});

test.for([["--help"], ["-h"], ["stats", "--help"]])("%s prints the usage", async (args) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Usage: pi-turn-limit stats");
});

test("a reader that has seen enough is no failure", async () => {
  await using folder = await sessionsFolder();
  await folder.write("one", new Conversation().prompt().turns(1).lines);
  const child = spawn(process.execPath, [bin, "stats", "--agent-dir", folder.agentDir]);
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  const [code] = await once(child, "close");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

/** Writes sessions of prompts with 10 turns and large tool results until there are `megabytes` of them. */
async function writeLargeHistory(
  { path }: SessionsFolder,
  megabytes: number,
  files: number,
): Promise<number> {
  const output = "The quick brown fox. ".repeat(800);
  let prompts = 0;
  for (let file = 0; file < files; file++) {
    const stream = createWriteStream(join(path, `${file}.jsonl`));
    for (let written = 0; written < (megabytes * 2 ** 20) / files; prompts++) {
      const { lines } = new Conversation(`${file}-${prompts}-`, Date.UTC(2026, 0, 1) + prompts * 60_000)
        .prompt()
        .turns(10);
      const text = lines.map((line) => `${JSON.stringify({ ...line, output })}\n`).join("");
      written += text.length;
      if (!stream.write(text)) await once(stream, "drain");
    }
    stream.end();
    await once(stream, "finish");
  }
  return prompts;
}

test("a history many times larger than the memory allowed is read to its end", async () => {
  await using folder = await sessionsFolder();
  // One file alone is larger than what V8 may hold.
  const prompts = await writeLargeHistory(folder, 160, 2);
  const args = ["stats", "--json", "--agent-dir", folder.agentDir];
  const { code, stdout, stderr } = await run(args, { node: ["--max-old-space-size=32"] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({
    sessions: 2,
    prompts,
    turns: { median: 10, max: 10 },
    skippedLines: 0,
  });
});
