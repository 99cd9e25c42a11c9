import { expect, test } from "vitest";
import { agentIn } from "./agent-in-line.ts";

const files = {
  folder: "/project",
  home: "/home",
  read: (path: string) => (path === "/modules/codex/package.json" ? '{"name":"@openai/codex"}' : undefined),
  exists: () => false,
  list: () => [],
  resolved: (path: string) => (path === "/project/bin/agent" ? "/modules/codex/bin/codex.js" : undefined),
};

test.each<[line: string[], name: string | undefined, args: string[]]>([
  [["/usr/bin/claude", "-p", "go"], "Claude Code", ["-p", "go"]],
  [["C:\\tools\\codex.exe"], "Codex", []],
  [["opencode.cmd", "run"], "opencode", ["run"]],
  [["npx", "-y", "@openai/codex@latest", "exec"], "Codex", ["exec"]],
  [["npx", "@google/gemini-cli"], "Gemini CLI", []],
  [["timeout", "60", "codex", "exec", "go"], "Codex", ["exec", "go"]],
  [["env", "A=1", "nice", "opencode", "run"], "opencode", ["run"]],
  [["node", "bin/agent", "exec"], "Codex", ["exec"]],
  [["bash", "-lc", "cd a && codex exec 'fix it'"], "Codex", ["exec", "fix", "it", ""]],
  [["python", "a.py", "fix what codex did"], undefined, []],
  [["python"], undefined, []],
])("%j starts %s", (line, name, args) => {
  const found = agentIn(line, files);
  expect(found?.launcher.name).toBe(name);
  expect(found?.args ?? []).toEqual(args);
});
