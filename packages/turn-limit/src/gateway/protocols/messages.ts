import type { Usage } from "../../core/meter/usage.ts";
import { madeEvents, madeId, madeJson } from "./made-answer.ts";
import { bytesOfTexts, isFilledList, objectIn, objectsIn, textIn, tokens } from "./parts-of-json.ts";
import type { Json, Protocol } from "./protocol.ts";

/** Anthropic's Messages. */
export const messages: Protocol = {
  name: "messages",
  provider: "anthropic",
  matches: (path) => path.endsWith("/messages"),
  asked: (_path, _query, body) =>
    Array.isArray(body.messages) ? { model: textIn(body.model), streams: body.stream === true } : undefined,
  usageKey: "usage",
  reported(part) {
    if (part.type === "message_start") {
      const { model, usage } = objectIn(part.message);
      return { model, usage: counts(objectIn(usage)) };
    }
    if (part.type === "message_delta") return { usage: counts(objectIn(part.usage)), isTotal: true };
    if (part.type === "message")
      return { model: part.model, usage: counts(objectIn(part.usage)), isTotal: true };
    const { text, thinking, partial_json } = objectIn(part.delta);
    return { textBytes: bytesOfTexts(text, thinking, partial_json) };
  },
  withMessage,
  withoutTools: (body) => (isFilledList(body.tools) ? { ...body, tool_choice: { type: "none" } } : body),
  answer(text, { model, streams }) {
    const message = {
      id: madeId("msg_"),
      type: "message",
      role: "assistant",
      model: model ?? "none",
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: NOTHING_USED,
    };
    return streams ? madeEvents(eventsOf(message, text)) : madeJson(message);
  },
  error: (status, message) => JSON.stringify({ type: "error", error: { type: errorType(status), message } }),
};

const COUNTS = {
  input: "input_tokens",
  output: "output_tokens",
  cacheRead: "cache_read_input_tokens",
  cacheWrite: "cache_creation_input_tokens",
} as const;

/** The counts that are there. A compaction by the provider is not in its sums. */
function counts(usage: Json): Partial<Usage> {
  const compactions = objectsIn(usage.iterations).filter(({ type }) => type === "compaction");
  const found: Partial<Usage> = {};
  for (const [part, name] of Object.entries(COUNTS) as [keyof typeof COUNTS, string][]) {
    if (usage[name] === undefined || usage[name] === null) continue;
    found[part] = compactions.reduce((sum, spent) => sum + tokens(spent[name] ?? 0), tokens(usage[name]));
  }
  return found;
}

/** A message that the provider or the program added at the end may have the role `system`. */
function withMessage(body: Json, text: string): Json {
  const all: readonly unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const last = all.findLastIndex((message) => objectIn(message).role !== "system");
  const message = objectIn(all[last]);
  const block = { type: "text", text };
  if (message.role !== "user") return { ...body, messages: [...all, { role: "user", content: [block] }] };
  return {
    ...body,
    messages: all.with(last, { ...message, content: [...blocksOf(message.content), block] }),
  };
}

function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return content ? [{ type: "text", text: content }] : [];
}

const NOTHING_USED = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

function eventsOf(message: Json, text: string): Json[] {
  return [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: NOTHING_USED },
    { type: "message_stop" },
  ];
}

function errorType(status: number): string {
  if (status === 402) return "billing_error";
  if (status === 413) return "request_too_large";
  return status >= 500 ? "api_error" : "invalid_request_error";
}
