import { Agent, type MastraLanguageModel } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { scriptedModel } from "./ai-sdk.ts";
import type { Surroundings } from "./script.ts";

export async function surroundings(): Promise<Surroundings> {
  const model = scriptedModel() as unknown as MastraLanguageModel;
  const search = createTool({
    id: "search",
    description: "Searches.",
    inputSchema: z.object({ query: z.string() }),
    execute: async () => "a result",
  });
  const agent = new Agent({ id: "finder", name: "Finder", instructions: "Find.", model, tools: { search } });
  return { variables: { agent, model, search, prompt: "Find everything." } };
}
