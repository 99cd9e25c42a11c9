/** An agent of Mastra with limits. The model is scripted and never ends by itself. */
import { Agent, type MastraLanguageModel } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV4 } from "ai/test";
import { limitAgent } from "turn-limit/mastra";
import { z } from "zod";

const model = new MockLanguageModelV4({
  doGenerate: async ({ tools = [] }) => ({
    content: [
      tools.length > 0
        ? { type: "tool-call", toolCallId: crypto.randomUUID(), toolName: "search", input: '{"for":"it"}' }
        : { type: "text", text: "Here is what I found so far." },
    ],
    finishReason: { unified: tools.length > 0 ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 20, text: 20, reasoning: 0 },
    },
    warnings: [],
  }),
}) as unknown as MastraLanguageModel;
const search = createTool({
  id: "search",
  description: "Searches",
  inputSchema: z.object({ for: z.string() }),
  execute: async () => "a result",
});
const agent = new Agent({ id: "finder", name: "Finder", instructions: "Find.", model, tools: { search } });

const limits = limitAgent({ turns: 25, steps: { max: 3, onExhausted: "synthesize" } });
const result = await agent.generate("Find everything.", limits.options());

console.log("answer:", result.text);
console.log("outcome:", limits.outcomeOf(result)?.kind);
