/** A query of the Claude Agent SDK with limits. Its program runs for real; the API is scripted, and never ends by itself. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { limitQuery } from "turn-limit/claude-agent-sdk";
import { z } from "zod";
import { MODEL, scriptedApi } from "../packages/turn-limit/test/hosts/claude-agent-sdk/scripted-api.ts";

const found = async () => ({ content: [{ type: "text" as const, text: "a result" }] });
const web = createSdkMcpServer({
  name: "web",
  tools: [tool("search", "Searches.", { for: z.string() }, found)],
});
const call = { type: "tool_use" as const, name: "mcp__web__search", input: { for: "everything" } };
await using api = await scriptedApi(({ tools }, index) =>
  tools?.length
    ? [{ ...call, id: `call-${index}` }]
    : [{ type: "text", text: "Here is what I found so far." }],
);
const home = mkdtempSync(join(tmpdir(), "example-"));
const env = {
  PATH: process.env.PATH,
  CLAUDE_CONFIG_DIR: home,
  ANTHROPIC_BASE_URL: api.url,
  ANTHROPIC_API_KEY: "scripted",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
};

const limited = limitQuery(query, { turns: 25, steps: { max: 3, onExhausted: "synthesize" } });
const options = { env, model: MODEL, cwd: home, mcpServers: { web }, allowedTools: [call.name] };

for await (const message of limited({ prompt: "Find everything.", options })) {
  if (message.type !== "result" || message.subtype !== "success") continue;
  console.log("answer:", message.result);
  console.log("outcome:", message.outcome?.kind);
}
rmSync(home, { recursive: true });
