import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import {
  type AgentName,
  byKind,
  prepareAgent,
  runAgent,
  startScriptedProvider,
  worksForever,
} from "@turn-limit/rig";
import { test } from "vitest";
import { BIN } from "./under-run.ts";

const page = await readFile(join(import.meta.dirname, "..", "..", "docs", "gateway.md"), "utf8");

/** The settings that the page has for a client. */
function onPage(language: "toml" | "json"): string {
  const [, text] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  if (text === undefined) throw new Error(`The page has no ${language}.`);
  return text;
}

/** A gateway of a team in front of a provider, and the variables that it prints. */
async function startGateway(provider: string, folder: string) {
  const env = {
    PATH: process.env.PATH,
    TZ: process.env.TZ,
    HOME: folder,
    ANTHROPIC_BASE_URL: provider,
    OPENAI_BASE_URL: `${provider}/v1`,
  };
  const limits = [
    "--store",
    join(folder, "pools.sqlite"),
    "--max-requests",
    "3 per day",
    "--per",
    "header:x-team",
  ];
  const child = spawn(process.execPath, [BIN, "gateway", ...limits], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const variables: Record<string, string> = {};
  for await (const line of createInterface(child.stdout)) {
    const [name = "", address = ""] = line.split(/=(.*)/s);
    variables[name] = address;
    if (variables.ANTHROPIC_BASE_URL && variables.OPENAI_BASE_URL) break;
  }
  return {
    variables,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

interface Client {
  name: AgentName;
  file: string;
  settings(variables: Readonly<Record<string, string>>): string;
  args: string[];
}

const clients: Client[] = [
  {
    name: "codex",
    file: ".codex/config.toml",
    settings: ({ OPENAI_BASE_URL }) =>
      onPage("toml").replace(/base_url = ".*"/, `base_url = ${JSON.stringify(OPENAI_BASE_URL)}`),
    args: [],
  },
  {
    name: "opencode",
    file: ".config/opencode/opencode.json",
    settings: () => onPage("json"),
    args: ["--model", "anthropic/claude-sonnet-4-5"],
  },
];

test.for(clients)("a team's gateway leads $name, by the settings on its page", async (client, { expect }) => {
  await using provider = await startScriptedProvider(byKind({ main: worksForever() }));
  await using agent = await prepareAgent(client.name, {
    providerAddress: provider.address,
    ...(client.name === "opencode" && { protocol: "messages" as const }),
  });
  await using gateway = await startGateway(provider.address, agent.root);
  const file = join(agent.env.HOME ?? "", client.file);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, client.settings(gateway.variables));

  const env = { ...gateway.variables, ANTHROPIC_API_KEY: "key" };
  const { code, stdout, stderr } = await runAgent(agent, { prompt: "Go.", args: client.args, env });

  expect(provider.requests).toHaveLength(3);
  expect(provider.requests.map(({ headers }) => headers["x-team"])).toEqual(["night", "night", "night"]);
  expect(stdout + stderr).toContain("Request limit per day reached (3/3).");
  expect(code).toBe(1);
});
