import { expect, test } from "vitest";
import { requireWayThroughGateway, startOf } from "./agent.ts";
import { type RunOptions, readRunOptions } from "./options.ts";

const files = { folder: "/site", home: "/home/ada", read: () => undefined, exists: () => false };
const addresses = { to: (upstream: string) => `gateway to ${upstream}` };
const read = (...args: string[]) => readRunOptions(["--max-requests", "5", ...args], {}) as RunOptions;

test("a program of any kind finds the gateway in its environment, also under a name of its own", () => {
  const options = read("--route", "MY_URL=https://my.example", "python", "a.py");
  const { args, env } = startOf(
    options,
    { OPENAI_BASE_URL: "https://eu.example/v1", X: "1" },
    addresses,
    files,
  );
  expect(args).toEqual(["a.py"]);
  expect(env).toMatchObject({
    ANTHROPIC_BASE_URL: "gateway to https://api.anthropic.com",
    OPENAI_BASE_URL: "gateway to https://eu.example/v1",
    MY_URL: "gateway to https://my.example",
    X: "1",
  });
});

test("an agent is pointed at it by its profile, also if it is held as any other program", () => {
  for (const profile of [[], ["--profile", "none"]]) {
    const { args } = startOf(read(...profile, "npx", "codex", "exec", "x"), {}, addresses, files);
    expect(args[0]).toBe("codex");
    expect(args.join(" ")).toContain("gateway to https://api.openai.com/v1");
  }
});

test("what would not come through the gateway is not started", () => {
  const requests = (...args: string[]) => requireWayThroughGateway(read(...args), {}, files);
  expect(() => requests("claude", "--bg", "x")).toThrow(/^Claude Code cannot be held to limits here: --bg /);
  expect(() => requests("/opt/gemini", "-p", "x")).toThrow(
    /^gemini cannot be held to limits here: Gemini CLI /,
  );
  requests("--route", "MY_URL=https://my.example", "gemini");
  requests("claude", "-p", "x");
});
