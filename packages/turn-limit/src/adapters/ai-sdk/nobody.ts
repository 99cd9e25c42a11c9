import type { LanguageModel } from "ai";

/** A model of the SDK's own version. */
export type Model = Extract<LanguageModel, { specificationVersion: "v4" }>;
type Answer = Awaited<ReturnType<Model["doGenerate"]>>;
type StreamedAnswer = Awaited<ReturnType<Model["doStream"]>>;
type Part = StreamedAnswer["stream"] extends ReadableStream<infer P> ? P : never;
type Reason = Answer["finishReason"]["unified"];

const usage: Answer["usage"] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** The end of an answer that the limits, not the model, have ended. */
export function lastPart(unified: Reason): Extract<Part, { type: "finish" }> {
  return { type: "finish", finishReason: { unified, raw: "turn-limit" }, usage };
}

/** An answer in which nothing is said. */
export function silence(reason: Reason): Answer {
  return { content: [], finishReason: lastPart(reason).finishReason, usage, warnings: [] };
}

/** The same as a stream. */
export function streamedSilence(reason: Reason): StreamedAnswer {
  return {
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: "stream-start", warnings: [] });
        controller.enqueue(lastPart(reason));
        controller.close();
      },
    }),
  };
}

/**
 * Stands in for the model when not even the first turn may begin: it sends no request and says nothing, so that the
 * call ends as any other does.
 */
export const nobody: Model = {
  specificationVersion: "v4",
  provider: "turn-limit",
  modelId: "nobody",
  supportedUrls: {},
  doGenerate: async () => silence("other"),
  doStream: async () => streamedSilence("other"),
};
