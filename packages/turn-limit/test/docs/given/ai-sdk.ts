import { tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { ANSWER, MOST_REQUESTS, type Surroundings, toolToCall } from "./script.ts";

/** A test model of the AI SDK, which Mastra takes, too. */
export function scriptedModel(): MockLanguageModelV4 {
  let requests = 0;
  return new MockLanguageModelV4({
    doGenerate: async ({ tools = [] }) => {
      if (++requests > MOST_REQUESTS) throw new Error("No limit ended this example");
      const name = toolToCall(tools.map(({ name }) => name));
      const toolCallId = crypto.randomUUID();
      return {
        content: [
          name
            ? {
                type: "tool-call",
                toolCallId,
                toolName: name,
                input: JSON.stringify({ query: "everything" }),
              }
            : { type: "text", text: ANSWER },
        ],
        finishReason: { unified: name ? "tool-calls" : "stop", raw: undefined },
        usage: {
          inputTokens: { total: 100, noCache: 100, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 20, text: 20, reasoning: undefined },
        },
        warnings: [],
      };
    },
  });
}

export async function surroundings(): Promise<Surroundings> {
  const search = tool({ inputSchema: z.object({ query: z.string() }), execute: async () => "a result" });
  const model = scriptedModel();
  return { variables: { model, search, tools: { search }, prompt: "Find everything." } };
}
