import {
  generateText,
  isLoopFinished,
  isStepCount,
  jsonSchema,
  type LanguageModelMiddleware,
  tool,
  wrapLanguageModel,
} from "ai";
import type * as Adapter from "turn-limit/ai-sdk";
import { scriptedModel } from "./language-model.ts";
import type { Runner } from "./runner.ts";

type Call = Parameters<typeof generateText>[0];

const middleware: LanguageModelMiddleware = { wrapGenerate: ({ doGenerate }) => doGenerate() };

/** The call with a hook wherever turn-limit has one. None of them does anything. */
function withEmptyHooks<C extends Call & { model: Parameters<typeof wrapLanguageModel>[0]["model"] }>(
  call: C,
): C {
  const nothing = () => {};
  const model = wrapLanguageModel({ model: call.model, middleware });
  return {
    ...call,
    stopWhen: async () => false,
    prepareStep: async () => ({ model }),
    telemetry: { integrations: [{ onError: nothing }] },
    onStart: nothing,
    onStepStart: nothing,
    onLanguageModelCallEnd: nothing,
    onEnd: nothing,
  };
}

/** The AI SDK's `generateText`. Without a limiter it has the SDK's stop condition that is never true. */
export const runner: Runner<typeof Adapter> = {
  framework: "AI SDK",
  entry: "./ai-sdk",
  native: "isStepCount(n)",
  hooks: "empty callbacks and middleware",
  seen: true,
  lengths: [10, 1_000],
  prepare({ turns, limiter, work, listed }, adapter) {
    const inputSchema = jsonSchema<object>({ type: "object", properties: {} });
    const tools = { work: tool({ inputSchema, execute: work }) };
    const limits = limiter === "ours" ? adapter.limitToolLoop({ turns, steps: turns, ...listed }) : undefined;
    return async () => {
      const { model, requests } = scriptedModel(turns);
      const call = { model, tools, prompt: "go" };
      const stopWhen = limiter === "native" ? isStepCount(turns) : isLoopFinished();
      if (limits) await generateText(limits.govern(call));
      else await generateText(limiter === "hooks" ? withEmptyHooks(call) : { ...call, stopWhen });
      return requests();
    };
  },
};
