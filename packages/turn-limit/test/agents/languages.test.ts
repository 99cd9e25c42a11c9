import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { calls, patience, startScriptedProvider } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { underLimits } from "./under-run.ts";

const REFUSED = /^402 Request limit reached \(5\/5\)\..* raise --max-requests of turn-limit run\.$/;

function script(name: string): string {
  return fileURLToPath(new URL(`./languages/${name}`, import.meta.url));
}

/** Runs an agent under a limit of 5 requests. The model never stops asking for its tool. */
async function held(variable: string, command: readonly string[]) {
  await using provider = await startScriptedProvider(() => calls({ name: "look", arguments: {} }));
  const [file = "", ...args] = [...underLimits(["--max-requests", "5"]), ...command];
  const agent = spawn(file, args, {
    env: { ...process.env, [variable]: provider.address },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: patience,
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(agent.stdout),
    text(agent.stderr),
    once(agent, "close"),
  ]);
  const lines = stdout.trimEnd().split("\n");
  return {
    code,
    stderr,
    protocols: provider.requests.map(({ protocol }) => protocol),
    looked: lines.filter((line) => line === "looked").length,
    said: lines.filter((line) => line !== "looked"),
  };
}

test.concurrent.each([
  ["Python", "messages", "ANTHROPIC_BASE_URL", ["python3", script("messages_agent.py")]],
  ["Ruby", "chat", "OPENAI_BASE_URL", ["ruby", script("chat_agent.rb")]],
  ["Perl, on a bare socket,", "gemini", "GOOGLE_GEMINI_BASE_URL", ["perl", script("gemini_agent.pl")]],
])("an agent in %s is held to 5 requests, and reads why", async (_, protocol, variable, command) => {
  const { stderr, ...seen } = await held(variable, command);
  expect(stderr).toMatch(/^turn-limit: stopped at 5\/5 requests · 5 requests · 600 tokens/);
  expect(seen).toEqual({
    code: 86,
    protocols: Array(5).fill(protocol),
    looked: 5,
    said: [expect.stringMatching(REFUSED)],
  });
});

test.concurrent("an agent and the one that it starts are held to 5 requests together", async () => {
  const { stderr, ...seen } = await held("ANTHROPIC_BASE_URL", ["python3", script("messages_agent.py"), "1"]);
  expect(stderr).toMatch(/^turn-limit: stopped at 5\/5 requests/);
  expect(seen).toEqual({
    code: 86,
    protocols: Array(5).fill("messages"),
    looked: 5,
    said: Array(2).fill(expect.stringMatching(REFUSED)),
  });
});
