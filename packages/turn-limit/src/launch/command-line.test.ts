import { expect, test } from "vitest";
import { launchClaudeCode } from "./claude-code.ts";
import { launchCodex } from "./codex.ts";
import { knownOptionsIn } from "./command-line.ts";
import { launchGeminiCli } from "./gemini-cli.ts";
import type { Launcher } from "./launcher.ts";
import { launchOpencode } from "./opencode.ts";
import { launchQwenCode } from "./qwen-code.ts";

/** The command line with which a session goes on that was begun with these arguments. */
function resumed({ sessions, isHeadless }: Launcher, ...args: string[]): string[] {
  if (!sessions) throw new Error("It has no sessions.");
  return sessions.resumed("S", knownOptionsIn(args, sessions.options), "Go on.", isHeadless(args));
}

test.each([
  [
    launchClaudeCode,
    [
      "-p",
      "fix it",
      "--model=opus",
      "--append-system-prompt",
      "Be kind.",
      "--allowedTools",
      "Read",
      "Bash(git *)",
    ],
    ["-p", "--model=opus", "--allowedTools", "Read", "Bash(git *)", "--resume", "S", "Go on."],
  ],
  [launchClaudeCode, ["--verbose", "--resume", "old", "fix it"], ["--verbose", "--resume", "S", "Go on."]],
  [
    launchCodex,
    ["exec", "-c", "a=1", "--json", "-mgpt", "resume", "--last", "fix it"],
    ["exec", "-c", "a=1", "--json", "-mgpt", "resume", "S", "Go on."],
  ],
  [launchCodex, ["fix it", "--", "-m"], ["resume", "S", "Go on."]],
  [launchOpencode, ["run", "-m", "a/b", "fix it"], ["run", "-m", "a/b", "--session", "S", "Go on."]],
  [launchOpencode, ["--prompt", "fix it"], ["--session", "S", "--prompt", "Go on."]],
  [
    launchGeminiCli,
    ["--session-id", "old", "--yolo", "-m", "pro", "--prompt", "fix it"],
    ["--yolo", "-m", "pro", "--resume", "S", "--prompt", "Go on."],
  ],
  [launchGeminiCli, ["--session-id", "old", "fix it"], ["--resume", "S", "--prompt-interactive", "Go on."]],
  [
    launchQwenCode,
    ["--session-id", "old", "--auth-type", "openai", "-p", "fix it", "--append-system-prompt", "Be kind."],
    ["--auth-type", "openai", "--resume", "S", "--prompt", "Go on."],
  ],
] as const)(
  "a session goes on with what holds for all of it, and without its prompt: %$",
  (launcher, args, expected) => {
    expect(resumed(launcher, ...args)).toEqual(expected);
  },
);
