import { expect, test } from "vitest";
import { launchCodex } from "../../launch/codex.ts";
import type { Launch } from "../../launch/open-launch.ts";
import { requireWayThroughGateway, startOf } from "./agent.ts";
import { type RunOptions, readRunOptions } from "./options.ts";

const files = {
  folder: "/site",
  home: "/home/ada",
  read: () => undefined,
  exists: () => false,
  list: () => [],
  resolved: () => undefined,
};
const read = (...args: string[]) => readRunOptions(["--max-requests", "5", ...args], {}, files) as RunOptions;

const launch: Launch = {
  env: { A: "for all" },
  lineOf: (line) => ["prepared", ...line],
  startOf: async ({ name }, args) => ({ args: [...args, "for", name], env: { A: "for one" } }),
  close() {},
};

test("a command line is started as it is, with what is prepared for every program", async () => {
  for (const line of [
    ["python", "a.py"],
    ["npx", "codex", "exec"],
  ])
    expect(await startOf(read(...line), launch)).toEqual({ line: ["prepared", ...line], env: launch.env });
});

test("an agent that goes by another name is started as the profile that the person named", async () => {
  const named = (...line: string[]) => startOf(read("--profile", "codex", ...line), launch);
  expect(await named("my-agent", "exec", "x")).toEqual({
    line: ["my-agent", "exec", "x", "for", launchCodex.name],
    env: { A: "for one" },
  });
  expect((await named("node", "agent.js", "exec")).line).toEqual([
    "node",
    "agent.js",
    "exec",
    "for",
    "Codex",
  ]);
  expect((await named("timeout", "60", "codex", "exec")).line[0]).toBe("prepared");
});

test("what would not come through the gateway is not started, also behind another program", () => {
  const requests = (...args: string[]) => requireWayThroughGateway(read(...args), {}, files);
  expect(() => requests("claude", "--bg", "x")).toThrow(/^Claude Code cannot be held to limits here: --bg /);
  expect(() => requests("timeout", "60", "claude", "--bg", "x")).toThrow(/^Claude Code cannot be held/);
  expect(() => requests("bash", "-c", "cd a && codex cloud exec")).toThrow(/^Codex cannot be held/);
  expect(() => requests("/opt/gemini", "-p", "x")).toThrow(
    /^Gemini CLI cannot be held to limits here: Gemini CLI /,
  );
  requests("--route", "MY_URL=https://my.example", "gemini");
  requests("claude", "-p", "x");
});
