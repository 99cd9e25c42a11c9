import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSdkMcpServer, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { MODEL, scriptedApi } from "../../hosts/claude-agent-sdk/scripted-api.ts";
import { ANSWER, MOST_REQUESTS, type Surroundings } from "./script.ts";

export async function surroundings(): Promise<Surroundings> {
  const found = async () => ({ content: [{ type: "text" as const, text: "a result" }] });
  const search = tool("search", "Searches.", { query: z.string() }, found);
  const call = { type: "tool_use" as const, name: "mcp__web__search", input: { query: "everything" } };
  const api = await scriptedApi(({ tools }, index) =>
    tools?.length && index <= MOST_REQUESTS
      ? [{ ...call, id: `call-${index}` }]
      : [{ type: "text", text: ANSWER }],
  );
  const home = await mkdtemp(join(tmpdir(), "docs-"));
  const env = {
    PATH: process.env.PATH,
    CLAUDE_CONFIG_DIR: home,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: "scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
  const mcpServers = { web: createSdkMcpServer({ name: "web", tools: [search] }) };
  const options = { env, model: MODEL, cwd: home, mcpServers, allowedTools: [call.name] };
  return {
    variables: { options, prompt: "Find everything." },
    async close() {
      await api[Symbol.asyncDispose]();
      await rm(home, { recursive: true });
    },
  };
}
