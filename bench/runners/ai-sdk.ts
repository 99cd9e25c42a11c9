import { generateText, isLoopFinished, isStepCount, jsonSchema, tool } from "ai";
import { limitToolLoop } from "turn-limit/ai-sdk";
import { scriptedModel } from "./language-model.ts";
import type { Runner } from "./runner.ts";

/** The AI SDK's `generateText`. Without a limiter it has the SDK's stop condition that is never true. */
export const runner: Runner = {
  framework: "AI SDK",
  native: "isStepCount(n)",
  lengths: [10, 1_000],
  prepare({ turns, limiter, work }) {
    const inputSchema = jsonSchema<object>({ type: "object", properties: {} });
    const tools = { work: tool({ inputSchema, execute: work }) };
    const limits = limitToolLoop({ turns, steps: turns });
    return async () => {
      const { model, requests } = scriptedModel(turns);
      const call = { model, tools, prompt: "go" };
      const stopWhen = limiter === "native" ? isStepCount(turns) : isLoopFinished();
      await generateText(limiter === "ours" ? limits.govern(call) : { ...call, stopWhen });
      return requests();
    };
  },
};
