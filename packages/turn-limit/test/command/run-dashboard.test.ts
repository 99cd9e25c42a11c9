import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import type { SeenPool } from "../../src/command/dashboard/news.ts";
import { startEndlessModel } from "./endless-model.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");
const AGENT = join(import.meta.dirname, "agents", "claude-like.mjs");

/** A run with its page, without a terminal, of an agent that never ends by itself. */
async function started(...options: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "run-dashboard-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const provider = await startEndlessModel();
  onTestFinished(() => provider.close());
  const limits = ["--max-turns", "2", "--profile", "claude-code", "--store", join(folder, "pools.sqlite")];
  const child = spawn(
    process.execPath,
    [BIN, "run", ...limits, "--dashboard", ...options, "--", process.execPath, AGENT, "-p"],
    {
      env: {
        ...{ PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder },
        ANTHROPIC_BASE_URL: provider.address,
      },
      ...{ cwd: folder, stdio: ["ignore", "ignore", "pipe"], detached: true },
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (data) => {
    err += data;
  });
  const ended = once(child, "close").then(([code]) => ({ code, err }));
  await expect.poll(() => err).toMatch(/To pair a browser, open (\S+)#(\w+),/);
  const [, page = "", code = ""] = /open (\S+)#(\w+),/.exec(err) ?? [];
  const sent = (path: string, body: object, secret = "") =>
    fetch(new URL(path, page), {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
    });
  return { child, provider, page, code, sent, ended };
}

interface Question {
  readonly record: string;
  readonly id: string;
}

/** What the page is told, until a run asks something besides the last question. */
async function nextQuestion(page: string, secret: string, last?: Question): Promise<Question> {
  const headers = { authorization: `Bearer ${secret}` };
  const { body } = await fetch(new URL("/api/events", page), { headers });
  let text = "";
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (const [, data = ""] of text.matchAll(/^data: (.*)\n\n/gm)) {
      const { pools = [] }: { pools?: SeenPool[] } = JSON.parse(data);
      const { record, questions = [] } = pools.find(({ run }) => run) ?? {};
      const asked = questions.find(({ id }) => id !== last?.id);
      if (record !== undefined && asked) return { record, id: asked.id };
    }
  }
  throw new Error(text);
}

test("without a terminal the question of a run is answered on its page, which ends with the run", async () => {
  const { provider, page, code, sent, ended } = await started();
  const paired = await sent("/api/pair", { code, name: "my phone" });
  const { secret } = (await paired.json()) as { secret: string };

  const first = await nextQuestion(page, secret);
  expect(provider.requests).toHaveLength(2);
  const answer = ({ record, id }: Question, reply: string) =>
    sent("/api/act", { action: "answer", pool: record, words: [id, reply] }, secret);
  expect((await answer(first, "1")).status).toBe(200);
  const second = await nextQuestion(page, secret, first);
  expect(provider.requests).toHaveLength(3);
  expect((await answer(second, "no")).status).toBe(200);

  const { code: exitCode, err } = await ended;
  expect(provider.requests).toHaveLength(3);
  expect(err).toContain("turn-limit: Answered on my phone: yes, 1 more turn.");
  expect(exitCode).toBe(86);
  await expect(fetch(page)).rejects.toThrow();
});

test("two runs at once have a page each", async () => {
  const runs = await Promise.all([started(), started()]);
  const [one, other] = runs.map(({ page }) => page);
  expect(one).not.toBe(other);
  for (const { page, child, ended } of runs) {
    expect((await fetch(page)).status).toBe(200);
    child.kill("SIGTERM");
    expect((await ended).code).not.toBe(0);
  }
});

test.each([
  ["run", "--max-turns", "2", "--profile", "claude-code", "--dashboard", "--", process.execPath, AGENT, "-p"],
  ["dashboard", "--port", "0"],
])("where no browser can be paired, turn-limit %s says so and ends", async (...line) => {
  const folder = mkdtempSync(join(tmpdir(), "run-dashboard-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const provider = await startEndlessModel();
  onTestFinished(() => provider.close());
  const config = join(folder, "a-file");
  writeFileSync(config, "");
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: config };
  const stored = { TURN_LIMIT_STORE: join(folder, "pools.sqlite"), ANTHROPIC_BASE_URL: provider.address };
  const child = spawn(process.execPath, [BIN, ...line], {
    ...{ env: { ...env, ...stored }, cwd: folder, detached: true },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  expect(out).toBe("");
  expect(err).toMatch(
    /^turn-limit: Browsers cannot be paired, because nothing can be kept in \S+: ENOTDIR.*XDG_CONFIG_HOME\.\n$/,
  );
  expect({ code, requests: provider.requests.length }).toEqual({ code: 1, requests: 0 });
});
