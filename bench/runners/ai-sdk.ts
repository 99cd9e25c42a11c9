import { generateText, isLoopFinished, isStepCount, jsonSchema, tool } from "ai";
import type * as Adapter from "turn-limit/ai-sdk";
import { scriptedModel } from "./language-model.ts";
import type { Runner } from "./runner.ts";

/** The AI SDK's `generateText`. Without a limiter it has the SDK's stop condition that is never true. */
export const runner: Runner<typeof Adapter> = {
  framework: "AI SDK",
  entry: "./ai-sdk",
  native: "isStepCount(n)",
  lengths: [10, 1_000],
  prepare({ turns, limiter, work }, adapter) {
    const inputSchema = jsonSchema<object>({ type: "object", properties: {} });
    const tools = { work: tool({ inputSchema, execute: work }) };
    const limits = limiter === "ours" ? adapter.limitToolLoop({ turns, steps: turns }) : undefined;
    return async () => {
      const { model, requests } = scriptedModel(turns);
      const call = { model, tools, prompt: "go" };
      const stopWhen = limiter === "native" ? isStepCount(turns) : isLoopFinished();
      await generateText(limits ? limits.govern(call) : { ...call, stopWhen });
      return requests();
    };
  },
};
