import type { Usage } from "../../core/meter/usage.ts";
import { madeEvents, madeId, madeJson, openAiError } from "./made-answer.ts";
import {
  bytesOfTexts,
  inputAndCache,
  isFilledList,
  objectIn,
  objectsIn,
  textIn,
  tokens,
} from "./parts-of-json.ts";
import type { Json, Protocol } from "./protocol.ts";

/** OpenAI's Chat Completions, which many other providers support as well. */
export const chatCompletions: Protocol = {
  name: "chat-completions",
  provider: "openai",
  matches: (path) => path.endsWith("/chat/completions"),
  asked: (_path, _query, body) =>
    Array.isArray(body.messages) ? { model: textIn(body.model), streams: body.stream === true } : undefined,
  usageKey: "usage",
  reported({ model, usage, choices }) {
    const all = objectsIn(choices);
    const textBytes = all.reduce((sum, { delta }) => sum + bytesOf(objectIn(delta)), 0);
    // Some providers put the usage into the choice.
    const used = usage ?? all[0]?.usage ?? undefined;
    if (used === undefined) return { model, textBytes };
    // Some providers report the usage so far with every chunk.
    const isOver = textBytes === 0 || all.some(({ finish_reason }) => finish_reason != null);
    return { model, usage: counts(objectIn(used)), isTotal: isOver, textBytes };
  },
  withMessage: (body, text) => ({
    ...body,
    messages: [...(Array.isArray(body.messages) ? body.messages : []), { role: "user", content: text }],
  }),
  // Providers reject a choice without tools.
  withoutTools: (body) => ({
    ...body,
    ...(isFilledList(body.tools) && { tool_choice: "none" }),
    ...(isFilledList(body.functions) && { function_call: "none" }),
  }),
  answer(text, { model, streams }) {
    const head = {
      id: madeId("chatcmpl-"),
      object: streams ? "chat.completion.chunk" : "chat.completion",
      created: Math.floor(Date.now() / 1000),
      model: model ?? "none",
    };
    const message = { role: "assistant", content: text, refusal: null };
    if (!streams)
      return madeJson({
        ...head,
        choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
        usage: NOTHING_USED,
      });
    const chunk = (delta: Json, finish_reason: string | null) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    });
    const events = [
      chunk({ ...message, content: "" }, null),
      chunk({ content: text }, null),
      chunk({}, "stop"),
      { ...head, choices: [], usage: NOTHING_USED },
    ];
    return madeEvents(events, "[DONE]");
  },
  error: openAiError,
};

const NOTHING_USED = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

function counts(usage: Json): Partial<Usage> {
  const { cached_tokens } = objectIn(usage.prompt_tokens_details);
  return { ...inputAndCache(usage.prompt_tokens, cached_tokens), output: tokens(usage.completion_tokens) };
}

/** Some providers also send the reasoning, under one of two names. */
function bytesOf({ content, refusal, reasoning, reasoning_content, tool_calls }: Json): number {
  const texts = bytesOfTexts(content, refusal, reasoning ?? reasoning_content);
  return objectsIn(tool_calls).reduce(
    (sum, call) => sum + bytesOfTexts(objectIn(call.function).arguments),
    texts,
  );
}
