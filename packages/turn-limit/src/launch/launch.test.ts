import { expect, test } from "vitest";
import { launchClaudeCode as claudeCode } from "./claude-code.ts";
import { launchCodex as codex } from "./codex.ts";
import { launchGeminiCli as geminiCli } from "./gemini-cli.ts";
import { environmentFor, launched as launchedBy } from "./launch.ts";
import type { Launcher, PersonsFiles, Start, Way } from "./launcher.ts";
import { launchOpencode as opencode } from "./opencode.ts";
import { launchPi as pi } from "./pi.ts";
import { launchQwenCode as qwenCode } from "./qwen-code.ts";

const addresses = {
  to: (upstream: string) => `gateway:${upstream}`,
  keyless: (upstream: string) => `keyless:${upstream}`,
  key: "key",
};

/** Files that were kept show their text in the place of their path. */
function wayWith(texts: Record<string, string>): Way {
  return { addresses, files: filesWith(texts), keep: (_, text) => text };
}

function filesWith(texts: Record<string, string>): PersonsFiles {
  return {
    folder: "/project",
    home: "/home",
    read: (path) => texts[path],
    exists: (path) => path === "/project/.git",
    list: (folder) => Object.keys(texts).filter((path) => path.startsWith(`${folder}/`)),
    resolved: () => undefined,
  };
}

function launched(
  launcher: Launcher,
  args: string[],
  env: Start["env"] = {},
  texts: Record<string, string> = {},
): Start {
  return launchedBy(launcher, { args, env }, wayWith(texts));
}

function problem(
  launcher: Launcher,
  args: string[],
  env: Start["env"] = {},
  texts: Record<string, string> = {},
) {
  return launcher.problem({ args, env }, filesWith(texts));
}

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
  [geminiCli, ["--yolo", "--prompt", "go"], true],
  [geminiCli, ["-yp", "go"], true],
  [geminiCli, ["--prompt=go"], true],
  [geminiCli, ["go"], false],
  [geminiCli, ["--prompt-interactive", "go"], false],
  [qwenCode, ["-p", "go"], true],
  [qwenCode, ["--model", "m", "go"], true],
  [qwenCode, ["--model", "m"], false],
  [qwenCode, ["-i", "go"], false],
  [pi, ["-p", "go"], true],
  [pi, ["--mode", "json", "go"], true],
  [pi, ["--mode", "rpc"], false],
  [pi, ["go"], false],
])("%o: is it headless?", (launcher, args, headless) => {
  expect(launcher.isHeadless(args)).toBe(headless);
});

function settingsOf(args: readonly string[]) {
  return JSON.parse(args[1] ?? "");
}

test("Claude Code is led here by a variable, and by settings that win over those in files", () => {
  const { args, env } = launched(claudeCode, ["-p"], { ANTHROPIC_BASE_URL: "http://own" });
  expect(env.ANTHROPIC_BASE_URL).toBe("gateway:http://own");
  expect(args).toEqual(["--settings", expect.any(String), "-p"]);
  expect(settingsOf(args).env).toMatchObject({
    ANTHROPIC_BASE_URL: "gateway:http://own",
    CLAUDE_CODE_USE_BEDROCK: "0",
    ANTHROPIC_UNIX_SOCKET: "",
  });
});

test("Claude Code's requests go where its settings say, and settings on the command line stay", () => {
  const files = {
    "/home/.claude/settings.json": '{"env":{"ANTHROPIC_BASE_URL":"http://own"}}',
    "/project/own.json": '{"model":"opus","env":{"A":"1"}}',
  };
  const { args } = launched(claudeCode, ["--settings", "own.json", "-p", "--", "--settings"], {}, files);
  expect(args).toEqual(["--settings", expect.any(String), "-p", "--", "--settings"]);
  expect(settingsOf(args)).toMatchObject({
    model: "opus",
    env: { A: "1", ANTHROPIC_BASE_URL: "gateway:http://own" },
  });
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
  const dropIn = {
    "/etc/claude-code/managed-settings.d/a.json": '{"env":{"ANTHROPIC_BASE_URL":"http://theirs"}}',
  };
  expect(problem(claudeCode, [], {}, dropIn)).toContain("manages");
  expect(problem(claudeCode, [], { ANTHROPIC_UNIX_SOCKET: "/s" })).toContain("ANTHROPIC_UNIX_SOCKET");
});

const given = (settings: string[]) => settings.flatMap((setting) => ["-c", setting]);
const uncompressed = "features.enable_request_compression=false";
const openAi = 'openai_base_url="keyless:https://api.openai.com/v1"';
const toOpenAi = given(['model_provider="openai"', openAi, uncompressed]);
const ofMine = [
  'model_providers.mine.base_url="keyless:http://own/v1"',
  'model_providers.mine.env_http_headers.x-turn-limit-key="TURN_LIMIT_KEY"',
];
const toMine = given(['model_provider="mine"', openAi, ...ofMine, uncompressed]);
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
      ...given(['model_provider="openai"', 'openai_base_url="keyless:http://own"', ...ofMine, uncompressed]),
    ],
  ],
])("codex %j is led here by its last settings, at the person's own provider", (args, config, expected) => {
  const files = { "/codex/config.toml": config };
  expect(launched(codex, args, { CODEX_HOME: "/codex" }, files).args).toEqual(expected);
});

test("Codex has the key of the gateway in variables, before what they are for", () => {
  const { env } = launched(codex, ["exec"], { OPENAI_PROJECT: "proj_1" });
  expect(env).toMatchObject({ TURN_LIMIT_KEY: "key", OPENAI_PROJECT: "key proj_1" });
  const { TURN_LIMIT_KEY, OPENAI_PROJECT } = env;
  const again = launched(codex, ["exec"], { TURN_LIMIT_KEY, OPENAI_PROJECT }).env;
  expect(again).toMatchObject({ TURN_LIMIT_KEY: "key", OPENAI_PROJECT: "key proj_1" });
  const outer = launched(codex, ["exec"], { TURN_LIMIT_KEY: "outer" }).env;
  expect(outer.TURN_LIMIT_KEY).toBe("key outer");
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
  const managed = {
    "/etc/codex/managed_config.toml": '[model_providers.mine]\nbase_url = "http://theirs/v1"',
  };
  expect(problem(codex, ["exec"], {}, managed)).toContain("model_providers.mine.base_url");
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
  const env = environmentFor({ OPENAI_BASE_URL: "http://own", KEY: "k" }, wayWith({}), { MINE: "http://my" });
  expect(env).toEqual({
    KEY: "k",
    ANTHROPIC_BASE_URL: "gateway:https://api.anthropic.com",
    OPENAI_BASE_URL: "gateway:http://own",
    OPENAI_API_BASE: "gateway:http://own",
    GOOGLE_GEMINI_BASE_URL: "gateway:https://generativelanguage.googleapis.com",
    MINE: "gateway:http://my",
    // For agents that the program may start.
    OPENCODE_CONFIG_CONTENT: expect.stringContaining("gateway:https://api.openai.com/v1"),
    TURN_LIMIT_OPENCODE_GATEWAY: expect.any(String),
    TURN_LIMIT_PI_ADDRESSES: expect.stringContaining("gateway:https://api.openai.com"),
  });
  expect(environmentFor({ OPENAI_API_BASE: "http://older" }, wayWith({}))).toMatchObject({
    OPENAI_BASE_URL: "gateway:https://api.openai.com/v1",
    OPENAI_API_BASE: "gateway:http://older",
  });
});

test("the gateway is reached without the person's proxy", () => {
  for (const launcher of [claudeCode, codex, opencode, qwenCode])
    for (const name of ["no_proxy", "NO_PROXY"]) {
      const { env } = launched(launcher, [], { https_proxy: "http://proxy", [name]: "own" });
      expect(env).toMatchObject({ NO_PROXY: "own,127.0.0.1,localhost", no_proxy: "own,127.0.0.1,localhost" });
    }
});

test("what the variables cannot lead here is said", () => {
  const gemini = (settings: string) =>
    problem(geminiCli, [], {}, { "/home/.gemini/settings.json": settings });
  const loggedIn = (selectedType: string) => gemini(JSON.stringify({ security: { auth: { selectedType } } }));
  const providers = '{"modelProviders":{"openai":[{"id":"m","baseUrl":"http://own"}]}}';
  expect(loggedIn("gemini-api-key")).toBeUndefined();
  expect(loggedIn("oauth-personal")).toContain('"oauth-personal"');
  expect(gemini("{}")).toContain("selectedType");
  expect(problem(geminiCli, [], { GOOGLE_GENAI_USE_GCA: "true" })).toContain("GOOGLE_GENAI_USE_GCA");
  expect(problem(qwenCode, [])).toBeUndefined();
  expect(problem(qwenCode, ["--auth-type", "qwen-oauth"])).toContain('"qwen-oauth"');
  expect(problem(qwenCode, [], {}, { "/project/.qwen/settings.json": providers })).toContain(
    "modelProviders",
  );
});

test.each<[args: string[], env: Start["env"], kept: string[], upstream: string]>([
  [["-p", "x"], {}, ["-p", "x"], "https://api.openai.com/v1"],
  [["--openai-base-url", "http://a", "-p", "x"], { OPENAI_BASE_URL: "http://b" }, ["-p", "x"], "http://a"],
  [["--openaiBaseUrl=http://a"], {}, [], "http://a"],
  [[], { QWEN_HOME: "/qwen" }, [], "http://own"],
])("Qwen Code with %j in %j is led here by a variable", (args, env, kept, upstream) => {
  const files = { "/qwen/settings.json": '{"security":{"auth":{"baseUrl":"http://own"}}}' };
  const start = launched(qwenCode, args, env, files);
  expect(start.args).toEqual(kept);
  expect(start.env.OPENAI_BASE_URL).toBe(`gateway:${upstream}`);
});

test("an address that is none is named by its variable, without the secrets in it", () => {
  const env = (address: string) => () => environmentFor({ OPENAI_BASE_URL: address }, wayWith({}));
  expect(env("https://ada:pass@own/v1?key=word")).toThrow(
    'OPENAI_BASE_URL must be an http:// or https:// address without a query, not "https://…@own/v1?…"',
  );
  expect(env("own?key=word")).toThrow('not "own?…"');
});
