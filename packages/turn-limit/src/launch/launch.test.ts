import { expect, test } from "vitest";
import { launchClaudeCode as claudeCode } from "./claude-code.ts";
import { launchCodex as codex } from "./codex.ts";
import { launchOther } from "./fallback.ts";
import { launched as launchedBy, launcherOf } from "./launch.ts";
import type { Launcher, PersonsFiles, Start } from "./launcher.ts";
import { launchOpencode as opencode } from "./opencode.ts";

const addresses = { to: (upstream: string) => `gateway:${upstream}` };

function filesWith(texts: Record<string, string>): PersonsFiles {
  return {
    folder: "/project",
    home: "/home",
    read: (path) => texts[path],
    exists: (path) => path === "/project/.git",
  };
}

function launched(
  launcher: Launcher,
  args: string[],
  env: Start["env"] = {},
  texts: Record<string, string> = {},
): Start {
  return launchedBy(launcher, { args, env }, addresses, filesWith(texts));
}

function problem(
  launcher: Launcher,
  args: string[],
  env: Start["env"] = {},
  texts: Record<string, string> = {},
) {
  return launcher.problem({ args, env }, filesWith(texts));
}

test("an agent is known by its command, with any folder and ending, and by the package that npx runs", () => {
  expect(launcherOf(["/usr/bin/claude"]).launcher).toBe(claudeCode);
  expect(launcherOf(["C:\\tools\\codex.exe"]).launcher).toBe(codex);
  expect(launcherOf(["opencode.cmd"]).launcher).toBe(opencode);
  expect(launcherOf(["python"]).launcher.name).toBe("python");
  expect(launcherOf(["claude", "-p", "go"])).toEqual({ launcher: claudeCode, words: 1 });
  expect(launcherOf(["npx", "-y", "@openai/codex@latest", "exec"])).toEqual({ launcher: codex, words: 3 });
  expect(launcherOf(["npx", "claude"])).toEqual({ launcher: claudeCode, words: 2 });
  expect(launcherOf(["npx", "other", "claude"]).launcher.name).toBe("npx");
  expect(launcherOf(["npx"]).launcher.name).toBe("npx");
});

test.each<[Launcher, string[], boolean]>([
  [claudeCode, ["-p", "go"], true],
  [claudeCode, ["--model", "opus", "--print"], true],
  [claudeCode, ["go", "--", "-p"], false],
  [codex, ["exec", "go"], true],
  [codex, ["-m", "exec", "e"], true],
  [codex, ["-m", "exec"], false],
  [codex, ["resume", "--last"], false],
  [opencode, ["--log-level", "INFO", "run", "go"], true],
  [opencode, ["run", "-i"], false],
  [opencode, ["."], false],
])("%o: is it headless?", (launcher, args, headless) => {
  expect(launcher.isHeadless(args)).toBe(headless);
});

test("Claude Code is led here by a variable, and what the person had set stays the place where requests go", () => {
  expect(claudeCode.launched({ args: ["-p"], env: {} }, addresses, filesWith({}))).toEqual({
    args: ["-p"],
    variables: { ANTHROPIC_BASE_URL: "gateway:https://api.anthropic.com" },
  });
  expect(launched(claudeCode, [], { ANTHROPIC_BASE_URL: "http://own" }).env.ANTHROPIC_BASE_URL).toBe(
    "gateway:http://own",
  );
});

test("Claude Code's settings win over the variable, so settings on the command line win over them", () => {
  const files = {
    "/home/.claude/settings.json": '{"env":{"ANTHROPIC_BASE_URL":"http://own"}}',
    "/project/own.json": '{"model":"opus","env":{"A":"1"}}',
  };
  const settings = { model: "opus", env: { A: "1", ANTHROPIC_BASE_URL: "gateway:http://own" } };
  expect(launched(claudeCode, ["--settings", "own.json", "-p", "--", "--settings"], {}, files).args).toEqual([
    ...["--settings", JSON.stringify(settings), "-p", "--", "--settings"],
  ]);
});

test("what does not come this way is said: another cloud, managed settings, a session in the background", () => {
  const managed = {
    "/etc/claude-code/managed-settings.json": '{"env":{"ANTHROPIC_BASE_URL":"http://theirs"}}',
  };
  const vertex = { "/home/.claude/settings.json": '{"env":{"CLAUDE_CODE_USE_VERTEX":1}}' };
  expect(problem(claudeCode, ["-p"])).toBeUndefined();
  expect(problem(claudeCode, [], { CLAUDE_CODE_USE_BEDROCK: "0" })).toBeUndefined();
  expect(problem(claudeCode, [], { CLAUDE_CODE_USE_BEDROCK: "1" })).toContain(
    "CLAUDE_CODE_USE_BEDROCK is set",
  );
  expect(problem(claudeCode, [], {}, vertex)).toContain("CLAUDE_CODE_USE_VERTEX is set");
  expect(problem(claudeCode, ["--bg"])).toContain("--bg");
  expect(problem(claudeCode, [], {}, managed)).toContain("manages");
});

const given = (settings: string[]) => settings.flatMap((setting) => ["-c", setting]);
const uncompressed = "features.enable_request_compression=false";
const toOpenAi = given([
  'model_provider="openai"',
  'openai_base_url="gateway:https://api.openai.com/v1"',
  uncompressed,
]);
const toMine = given([
  'model_provider="mine"',
  'model_providers.mine.base_url="gateway:http://own/v1"',
  uncompressed,
]);
const mine =
  'model_provider = "mine" # mine\n[model_providers.mine]\nname = "Mine"\nbase_url = "http://own/v1"\n';

test.each<[args: string[], config: string, pointed: string[]]>([
  [["exec", "go"], "", ["exec", "go", ...toOpenAi]],
  [["exec", "--", "go"], "", ["exec", ...toOpenAi, "--", "go"]],
  [["fix it"], "", ["--no-daemon", "fix it", ...toOpenAi]],
  [["--no-daemon", "resume"], "", ["--no-daemon", "resume", ...toOpenAi]],
  [["login"], "", ["login"]],
  [["exec"], mine, ["exec", ...toMine]],
  [
    ["exec"],
    'model_provider="mine"\nmodel_providers.mine = { name = "M", base_url = \'http://own/v1\' }',
    ["exec", ...toMine],
  ],
  [
    ["exec", "-c", "model_provider=openai", "--config=openai_base_url='http://own'"],
    mine,
    [
      ...["exec", "-c", "model_provider=openai", "--config=openai_base_url='http://own'"],
      ...given(['model_provider="openai"', 'openai_base_url="gateway:http://own"', uncompressed]),
    ],
  ],
])("codex %j is led here by its last settings, at the person's own provider", (args, config, expected) => {
  const files = filesWith({ "/codex/config.toml": config });
  expect(codex.launched({ args, env: { CODEX_HOME: "/codex" } }, addresses, files)).toEqual({
    args: expected,
  });
});

test("Codex at a provider whose address cannot be replaced is said, and a profile's file counts", () => {
  const files = {
    "/home/.codex/config.toml": mine,
    "/home/.codex/work.config.toml": 'model_provider = "amazon-bedrock"',
  };
  expect(problem(codex, ["exec"], {}, files)).toBeUndefined();
  expect(problem(codex, ["exec", "-p", "work"], {}, files)).toContain('"amazon-bedrock"');
  expect(problem(codex, ["--oss"])).toContain("--oss");
  expect(problem(codex, ["cloud"])).toContain("codex cloud");
});

test.each([codex, opencode])("$name with a ChatGPT login goes where such a login is good", ({ profile }) => {
  const login = { "chatgpt-account-id": "a" };
  expect(profile?.upstream?.(login, "https://api.openai.com/v1")).toBe(
    "https://chatgpt.com/backend-api/codex",
  );
  expect(profile?.upstream?.({}, "https://api.openai.com/v1")).toBe("https://api.openai.com/v1");
  expect(profile?.upstream?.(login, "http://own")).toBe("http://own");
});

function configOf(env: Start["env"], texts: Record<string, string> = {}) {
  return JSON.parse(launched(opencode, ["run"], env, texts).env.OPENCODE_CONFIG_CONTENT ?? "");
}

test("opencode is led here by a configuration over the person's own, for every provider whose address is known", () => {
  const own = { share: "disabled", provider: { openai: { options: { timeout: 1 } }, azure: { name: "A" } } };
  const config = configOf(
    { OPENCODE_CONFIG_CONTENT: JSON.stringify(own), HOST: "own.example" },
    {
      "/home/.config/opencode/opencode.jsonc":
        '{ // mine\n "provider": { "mine": { "options": { "baseURL": "http://{env:HOST}/v1", }, }, }, }',
      "/project/opencode.json":
        '{"provider":{"anthropic":{"options":{"baseURL":"http://proxy"}},"xai":{"api":"{file:x}"}}}',
    },
  );
  expect(config).toMatchObject({
    share: "disabled",
    provider: {
      anthropic: { options: { baseURL: "gateway:http://proxy" } },
      openai: { options: { timeout: 1, baseURL: "gateway:https://api.openai.com/v1" } },
      mine: { options: { baseURL: "gateway:http://own.example/v1" } },
      azure: { name: "A" },
    },
  });
  expect(config.enabled_providers).toEqual(
    expect.arrayContaining(["anthropic", "mine", "opencode", "openai"]),
  );
  expect(config.enabled_providers).not.toContain("azure");
  expect(config.enabled_providers).not.toContain("xai");
});

test("opencode keeps to the providers that the person allows", () => {
  const files = { "/project/opencode.json": '{"enabled_providers":["openai","azure"]}' };
  expect(configOf({}, files).enabled_providers).toEqual(["openai"]);
  expect(problem(opencode, ["run", "-m", "openai/gpt"], {}, files)).toBeUndefined();
  expect(problem(opencode, ["run", "-m", "azure/gpt"], {}, files)).toContain(
    "provider.azure.options.baseURL",
  );
  expect(problem(opencode, ["run"], { OPENCODE_CONFIG_CONTENT: '{"model":"cohere/a"}' })).toContain(
    '"cohere"',
  );
  expect(problem(opencode, ["attach", "http://server"])).toContain("attached");
});

test("anything else is led here by the variables that programs look at", () => {
  const { env } = launched(launchOther(["python"]), [], { OPENAI_BASE_URL: "http://own", KEY: "k" });
  expect(env).toEqual({
    KEY: "k",
    ANTHROPIC_BASE_URL: "gateway:https://api.anthropic.com",
    OPENAI_BASE_URL: "gateway:http://own",
    OPENAI_API_BASE: "gateway:https://api.openai.com/v1",
    GOOGLE_GEMINI_BASE_URL: "gateway:https://generativelanguage.googleapis.com",
  });
});

test("the gateway is reached without the person's proxy", () => {
  for (const launcher of [claudeCode, codex, opencode, launchOther(["python"])])
    for (const name of ["no_proxy", "NO_PROXY"]) {
      const { env } = launched(launcher, [], { https_proxy: "http://proxy", [name]: "own" });
      expect(env).toMatchObject({ NO_PROXY: "own,127.0.0.1,localhost", no_proxy: "own,127.0.0.1,localhost" });
    }
});

test("what the variables cannot lead here is said", () => {
  const problemOf = (line: string[], files: PersonsFiles) =>
    launchOther(line).problem({ args: [], env: {} }, files);
  const gemini = (settings: string) =>
    problemOf(["gemini"], filesWith({ "/home/.gemini/settings.json": settings }));
  const loggedIn = (selectedType: string) => gemini(JSON.stringify({ security: { auth: { selectedType } } }));
  const providers = '{"modelProviders":{"openai":[{"id":"m","baseUrl":"http://own"}]}}';
  expect(loggedIn("gemini-api-key")).toBeUndefined();
  expect(loggedIn("oauth-personal")).toContain('"oauth-personal"');
  expect(gemini("{}")).toContain("selectedType");
  expect(problemOf(["qwen"], filesWith({}))).toBeUndefined();
  expect(problemOf(["qwen"], filesWith({ "/project/.qwen/settings.json": providers }))).toContain(
    "modelProviders",
  );
  expect(problemOf(["npx", "@google/gemini-cli", "-p", "x"], filesWith({}))).toContain("Gemini CLI");
  expect(problemOf(["python"], filesWith({}))).toBeUndefined();
});
