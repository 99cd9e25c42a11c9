import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NtfyServer, openTerminal } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { startEndlessModel } from "../command/endless-model.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");
const AGENT = join(import.meta.dirname, "..", "command", "agents", "claude-like.mjs");

/** An agent without a screen of its own, on a terminal, at its limit of two turns. */
async function atLimit(folder: string, address: string, ...options: string[]) {
  const { PATH = "/usr/bin:/bin" } = process.env;
  const limits = ["--max-turns", "2", "--profile", "claude-code", ...options];
  return openTerminal({
    folder,
    command: [process.execPath, BIN, "run", ...limits, "--", process.execPath, AGENT, "-p"],
    cwd: folder,
    env: { PATH, HOME: folder, TERM: "xterm-256color", LANG: "C.UTF-8", ANTHROPIC_BASE_URL: address },
    ready: "Turn limit reached (2/2). Continue?",
  });
}

test("a person is asked on the agent's terminal, and the reply decides", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-question-"));
  const provider = await startEndlessModel();
  const terminal = await atLimit(folder, provider.address);
  try {
    await terminal.press("Enter");
    await terminal.waitFor(/such as 10:[\s\S]*such as 10:/);
    expect(provider.requests).toHaveLength(2);
    await terminal.submit("3");
    await terminal.waitFor("(3/3). Continue?");
    await terminal.submit("n");
    await terminal.waitFor(
      "turn-limit: stopped by a person at 3/3 turns (Claude Code) · 5 turns · 5 requests",
    );
    expect(provider.requests).toHaveLength(5);
    await expect.poll(() => terminal.exitCode()).toBe(86);
  } finally {
    await terminal.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test("Ctrl+C ends the agent, and the question with it, and is no success", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-question-"));
  const provider = await startEndlessModel();
  const terminal = await atLimit(folder, provider.address);
  try {
    await terminal.press("C-c");
    await terminal.waitFor("turn-limit: ended after SIGINT (Claude Code) · 2 turns");
    expect(await terminal.screen()).not.toContain("Continue?");
    await expect.poll(() => terminal.exitCode()).toBe(130);
  } finally {
    await terminal.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test("a question is answered on the phone, closes on the terminal, and the terminal says who answered", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-question-"));
  const provider = await startEndlessModel();
  const phone = await NtfyServer.start();
  const terminal = await atLimit(folder, provider.address, "--notify", phone.target("phone"));
  try {
    await phone.press(await phone.message("phone"), "Yes, another 2 turns");
    await terminal.waitFor("turn-limit: Answered by ntfy: yes, another 2 turns.");
    const second = await phone.message("phone", 2);
    expect(provider.requests).toHaveLength(4);
    await terminal.waitFor(/Answered by ntfy[\s\S]*\(2\/2\)\. Continue\?/);
    expect((await terminal.screen()).match(/Continue\?/g)).toHaveLength(1);
    await terminal.submit("n");
    await terminal.waitFor("turn-limit: stopped by a person at 2/2 turns (Claude Code) · 4 turns");
    expect(await phone.message("phone", 3)).toMatchObject({
      message: "Answered in the terminal: no.",
      sequence_id: second.sequence_id,
    });
    expect(provider.requests).toHaveLength(4);
    await expect.poll(() => terminal.exitCode()).toBe(86);
  } finally {
    await terminal.close();
    await phone.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
});
