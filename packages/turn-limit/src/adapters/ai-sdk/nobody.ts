import type { LanguageModel } from "ai";

type Model = Extract<LanguageModel, { specificationVersion: "v4" }>;

const finishReason = { unified: "other", raw: "turn-limit" } as const;
const usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/**
 * Stands in for the model when not even the first turn may begin: it sends no request and says nothing, so that the
 * call ends as any other does.
 */
export const nobody: Model = {
  specificationVersion: "v4",
  provider: "turn-limit",
  modelId: "nobody",
  supportedUrls: {},
  doGenerate: async () => ({ content: [], finishReason, usage, warnings: [] }),
  doStream: async () => ({
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: "stream-start", warnings: [] });
        controller.enqueue({ type: "finish", finishReason, usage });
        controller.close();
      },
    }),
  }),
};
