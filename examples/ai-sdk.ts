/** The AI SDK's tool loop with limits. The model is the SDK's own test model; it never ends by itself. */
import { generateText, jsonSchema, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { limitToolLoop } from "turn-limit/ai-sdk";

const model = new MockLanguageModelV4({
  doGenerate: async ({ tools = [] }) => ({
    content:
      tools.length > 0
        ? [{ type: "tool-call", toolCallId: crypto.randomUUID(), toolName: "search", input: "{}" }]
        : [{ type: "text", text: "Here is what I found so far." }],
    finishReason: { unified: tools.length > 0 ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: 100, noCache: 100, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 20, text: 20, reasoning: undefined },
    },
    warnings: [],
  }),
});
const search = tool({ inputSchema: jsonSchema<object>({ type: "object" }), execute: async () => "a result" });

const limits = limitToolLoop({ turns: 25, steps: { max: 3, onExhausted: "synthesize" } });
const result = await generateText(limits.govern({ model, tools: { search }, prompt: "Find everything." }));

console.log("answer:", result.text);
console.log("outcome:", limits.outcomeOf(result)?.kind);
