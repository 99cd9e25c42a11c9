import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type AgentName,
  byKind,
  kindOf,
  prepareAgent,
  runAgent,
  startScriptedProvider,
  worksFor,
} from "@turn-limit/rig";
import { test } from "vitest";
import { underLimits } from "./under-run.ts";

interface Trial {
  name: AgentName;
  /** A setting by which the agent's requests go to the provider, whatever the variables say. */
  setting: string;
  /** Files in the project with this setting. */
  files?: Record<string, (address: string) => object>;
  env?: (project: string) => Record<string, string>;
  args?: (address: string) => string[];
  /** Further words of the command line before the agent's name. */
  before?: string[];
  /** Why it is not started. `undefined`: it is held. */
  refused?: string;
}

const modelProviders = (address: string) => ({
  modelProviders: { openai: [{ id: "scripted-model", envKey: "OPENAI_API_KEY", baseUrl: `${address}/v1` }] },
});
const claudeSettings = (address: string) => ({ env: { ANTHROPIC_BASE_URL: address } });

const trials: Trial[] = [
  {
    name: "claude-code",
    setting: "settings.local.json at the top of the repository",
    files: {
      ".git/HEAD": () => ({}),
      ".claude/settings.local.json": claudeSettings,
      "sub/a.json": () => ({}),
    },
    before: ["bash", "-c", 'cd sub && exec "$@"', "bash"],
  },
  { name: "qwen-code", setting: "--openai-base-url", args: (address) => [`--openai-base-url=${address}/v1`] },
  {
    name: "qwen-code",
    setting: "an address beside the login",
    files: { ".qwen/settings.json": (address) => ({ security: { auth: { baseUrl: `${address}/v1` } } }) },
    env: () => ({ OPENAI_BASE_URL: "" }),
  },
  {
    name: "qwen-code",
    setting: "QWEN_HOME",
    files: { "own/settings.json": modelProviders },
    env: (project) => ({ QWEN_HOME: join(project, "own") }),
    refused: "modelProviders",
  },
  {
    name: "qwen-code",
    setting: "system settings",
    files: { "system.json": modelProviders },
    env: (project) => ({ QWEN_CODE_SYSTEM_SETTINGS_PATH: join(project, "system.json") }),
    refused: "modelProviders",
  },
  {
    name: "gemini-cli",
    setting: "GEMINI_CLI_HOME",
    files: {
      "own/.gemini/settings.json": () => ({ security: { auth: { selectedType: "oauth-personal" } } }),
    },
    env: (project) => ({ GEMINI_CLI_HOME: join(project, "own") }),
    refused: "oauth-personal",
  },
  {
    name: "opencode",
    setting: "managed settings",
    files: {
      "managed/opencode.json": (address) => ({
        provider: { scripted: { options: { baseURL: `${address}/v1` } } },
      }),
    },
    env: (project) => ({ OPENCODE_TEST_MANAGED_CONFIG_DIR: join(project, "managed") }),
    refused: "settings that your organisation manages",
  },
];

test.concurrent.for(trials)("$name with $setting is held, or not started", async (trial, { expect }) => {
  await using provider = await startScriptedProvider(byKind({ main: worksFor(4) }));
  await using agent = await prepareAgent(trial.name, { providerAddress: provider.address });
  for (const [path, content] of Object.entries(trial.files ?? {})) {
    const file = join(agent.project, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(content(provider.address)));
  }

  const { code, stderr } = await runAgent(agent, {
    prompt: "Go.",
    args: trial.args?.(provider.address) ?? [],
    env: trial.env?.(agent.project) ?? {},
    wrapWith: [...underLimits(["--max-requests", "3", "--at-limit", "stop"]), ...(trial.before ?? [])],
  });

  if (trial.refused === undefined) {
    expect(stderr).toContain("turn-limit: stopped at 3/3 requests");
    expect(provider.requests.filter((request) => kindOf(request) !== "title")).toHaveLength(3);
    expect(code).toBe(86);
  } else {
    expect(provider.requests).toEqual([]);
    expect(stderr).toMatch(/^turn-limit: .+ cannot be held to limits here: .+\n$/);
    expect(stderr).toContain(trial.refused);
    expect(code).toBe(1);
  }
});
