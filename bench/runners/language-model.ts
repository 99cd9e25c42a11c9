import type { LanguageModel } from "ai";

type Model = Extract<LanguageModel, { specificationVersion: "v4" }>;
type Answer = Awaited<ReturnType<Model["doGenerate"]>>;
type Said = Pick<Answer, "content" | "finishReason" | "usage">;
type Chunk = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer C> ? C : never;

const usage: Answer["usage"] = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 20, text: 20, reasoning: 0 },
};

/**
 * A model for the frameworks that use the AI SDK's model interface. Not the SDK's own mock, which keeps every request:
 * with a thousand of them, each with the conversation so far, that would be most of what is measured.
 */
export function scriptedModel(turns: number): { model: Model; requests: () => number } {
  let requests = 0;
  function answer(): Said {
    requests += 1;
    if (requests % turns === 0) {
      const content: Answer["content"] = [{ type: "text", text: "Done." }];
      return { content, finishReason: { unified: "stop", raw: undefined }, usage };
    }
    const content: Answer["content"] = [
      { type: "tool-call", toolCallId: `call-${requests}`, toolName: "work", input: "{}" },
    ];
    return { content, finishReason: { unified: "tool-calls", raw: undefined }, usage };
  }
  const model: Model = {
    specificationVersion: "v4",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async () => ({ ...answer(), warnings: [] }),
    doStream: async () => ({ stream: ReadableStream.from(chunksOf(answer())) }),
  };
  return { model, requests: () => requests };
}

function* chunksOf({ content, ...end }: Said): Generator<Chunk> {
  yield { type: "stream-start", warnings: [] };
  for (const part of content) {
    if (part.type === "tool-call") yield part;
    if (part.type !== "text") continue;
    yield { type: "text-start", id: "text" };
    yield { type: "text-delta", id: "text", delta: part.text };
    yield { type: "text-end", id: "text" };
  }
  yield { type: "finish", ...end };
}
