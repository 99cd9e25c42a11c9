import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { byKind, prepareAgent, runAgent, startScriptedProvider, worksForever } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { underLimits } from "./under-run.ts";

const NEWEST = fromRoot("node_modules/pi-1.5/dist/bundle/cli.js");
const OLDEST = fromRoot("node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
const PI_TURN_LIMIT = fromRoot("packages/pi-turn-limit");
const MODEL = { id: "scripted-model" };
const STOPPED =
  "Request limit reached (5/5). The run was stopped here. To allow more, raise --max-requests of turn-limit run.\n";

function fromRoot(path: string): string {
  return fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
}

/** Runs `pi` without an end under a limit of 5 requests, with these providers in the person's `models.json`. */
async function piUnderLimit(cli: string, args: string[], providers: (address: string) => object) {
  await using provider = await startScriptedProvider(byKind({ main: worksForever() }));
  await using agent = await prepareAgent("pi", { providerAddress: provider.address });
  await writeFile(
    join(agent.home, ".pi/agent/models.json"),
    JSON.stringify({ providers: providers(provider.address) }),
  );
  const before = await agent.configSnapshot();
  await rm(join(agent.root, "bin", "pi"));
  await symlink(cli, join(agent.root, "bin", "pi"));
  const result = await runAgent(agent, {
    prompt: "Go.",
    args,
    wrapWith: underLimits(["--max-requests", "5"]),
  });
  expect(await agent.configSnapshot()).toEqual(before);
  return { ...result, protocols: provider.requests.map(({ protocol }) => protocol) };
}

test("Pi is held with a provider of the person's own, also without extensions", async () => {
  const { code, stdout, stderr, protocols } = await piUnderLimit(NEWEST, ["--no-extensions"], (address) => ({
    scripted: { baseUrl: `${address}/v1`, api: "openai-completions", apiKey: "key", models: [MODEL] },
  }));
  expect(stdout).toBe(STOPPED);
  expect(stderr).toContain("turn-limit: stopped at 5/5 requests (Pi) · ");
  expect({ code, protocols }).toEqual({ code: 86, protocols: Array(5).fill("chat") });
});

test("an older Pi is held with a provider that it knows by itself, beside pi-turn-limit", async () => {
  const args = [
    "-e",
    PI_TURN_LIMIT,
    "--max-turns",
    "50",
    "--provider",
    "anthropic",
    "--model",
    "claude-sonnet-4-5",
  ];
  const { code, stdout, protocols } = await piUnderLimit(OLDEST, args, (address) => ({
    anthropic: { baseUrl: address, apiKey: "key" },
  }));
  expect(stdout).toBe(STOPPED);
  expect({ code, protocols }).toEqual({ code: 86, protocols: Array(5).fill("messages") });
});

test("Pi sends nothing to a provider that would pass by the limit, and says so", async () => {
  const { code, stderr, protocols } = await piUnderLimit(NEWEST, [], (address) => ({
    scripted: {
      baseUrl: `${address}/v1`,
      api: "openai-completions",
      apiKey: "key",
      models: [MODEL, { id: "elsewhere", baseUrl: `${address}/elsewhere/v1` }],
    },
  }));
  expect(stderr).toContain('requests to the provider "scripted" cannot be limited here');
  expect({ code, protocols }).toEqual({ code: 1, protocols: [] });
});
