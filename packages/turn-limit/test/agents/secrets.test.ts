import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type AgentName,
  byKind,
  calls,
  prepareAgent,
  runAgent,
  says,
  shellCall,
  startScriptedProvider,
  turnOfConversation,
} from "@turn-limit/rig";
import { test } from "vitest";
import { underLimits } from "./under-run.ts";

const token = "token-that-nobody-may-read";

// What everybody on the machine can see while the agent works: command lines, and files that are open to them.
const look = [
  "ps -A -ww -o args > lines",
  "env > env",
  'find "$TMPDIR"/turn-limit-* ! -type l -perm /077 > open',
  'find "$TMPDIR"/turn-limit-* -type f > kept',
].join("; ");

interface Trial {
  name: AgentName;
  what: string;
  /** Further arguments of the agent. */
  args: (provider: { address: string }) => string[];
}

test.concurrent.for<Trial>([
  { name: "claude-code", what: "with settings that have a token", args: () => ["--settings", "work.json"] },
  { name: "codex", what: "at a provider of its settings", args: () => [] },
  {
    name: "codex",
    what: "at its own provider",
    args: ({ address }) => ["-c", "model_provider=openai", "-c", `openai_base_url=${address}/v1`],
  },
  { name: "opencode", what: "", args: () => [] },
  { name: "pi", what: "", args: () => [] },
])(
  "$name $what has no secret in a command line or in a file of others",
  async ({ name, args }, { expect }) => {
    await using provider = await startScriptedProvider(
      byKind({
        main: (request) =>
          turnOfConversation(request) === 1 ? calls(shellCall(request, look)) : says("All done."),
      }),
    );
    await using agent = await prepareAgent(name, { providerAddress: provider.address });
    const settings = { env: { ANTHROPIC_BASE_URL: provider.address, ANTHROPIC_AUTH_TOKEN: token } };
    await writeFile(join(agent.project, "work.json"), JSON.stringify(settings));

    const { code, stderr } = await runAgent(agent, {
      prompt: "Go.",
      args: args(provider),
      wrapWith: underLimits(["--max-requests", "9"]),
      env: { OPENAI_PROJECT: "proj_1" },
    });

    const seen = async (file: string) => readFile(join(agent.project, file), "utf8");
    const [, key = "no key"] =
      /_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/([\w-]{16,})\//.exec(await seen("env")) ?? [];
    const lines = await seen("lines");
    expect(lines).toContain(agent.kind.command[0]);
    expect(lines).not.toContain(key);
    expect(lines).not.toContain(token);
    expect(await seen("kept")).not.toBe("");
    expect(await seen("open")).toBe("");
    expect(stderr).toContain("turn-limit: completed");
    expect(stderr).toContain(`${provider.requests.length} requests`);
    expect(code).toBe(0);
    // Nor does the provider get it.
    expect(JSON.stringify(provider.requests.map(({ headers }) => headers))).not.toContain(key);
    if (name === "codex" && args(provider).length > 0)
      expect(provider.requests[0]?.headers["openai-project"]).toBe("proj_1");
  },
);
