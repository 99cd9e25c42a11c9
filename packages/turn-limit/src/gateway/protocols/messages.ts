import type { Usage } from "../../core/meter/usage.ts";
import type { JsonEdit, JsonPath } from "./json-edits.ts";
import { madeEvents, madeId, madeJson } from "./made-answer.ts";
import {
  bytesOfTexts,
  isFilledList,
  objectIn,
  objectsIn,
  offeredTool,
  textIn,
  tokens,
  withoutParts,
  withResults,
} from "./parts-of-json.ts";
import type { Asked, Json, MadeAnswer, Protocol } from "./protocol.ts";

/** Google has Anthropic's models at addresses of its own. */
const PATH = /\/messages$|\/publishers\/anthropic\/models\/[^/]+:(stream)?rawPredict$/i;

/** Anthropic's Messages. */
export const messages: Protocol = {
  name: "messages",
  provider: "anthropic",
  matches: (path) => PATH.test(path),
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
  calls({ messages }) {
    const blocks = objectsIn(messages).flatMap(({ content }) => objectsIn(content));
    const made = blocks.flatMap(({ type, id, name, input }) =>
      type === "tool_use" ? [{ id: String(id), tool: String(name), args: input }] : [],
    );
    const results = blocks
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id, content, is_error }) => {
        const result = is_error === true ? { is_error, content } : content;
        return [String(tool_use_id), result] as const;
      });
    return withResults(made, new Map(results));
  },
  withoutCalls({ messages }, isCall) {
    const isOne = ({ type, id, tool_use_id }: Json) =>
      (type === "tool_use" && isCall(id)) || (type === "tool_result" && isCall(tool_use_id));
    return [...withoutParts(messages, "content", isOne, ["messages"]), ...keptInCache(messages, isOne)];
  },
  tools: ({ tools }) => objectsIn(tools).map(offeredTool),
  withMessage,
  withoutTools: (body) => (isFilledList(body.tools) ? { ...body, tool_choice: { type: "none" } } : body),
  // A model that thinks cannot be made to call a tool, but offered it alone. It must know those that were found by a search.
  canHoldTo: (body, tool) =>
    objectsIn(body.tools).some(({ name }) => name === tool) &&
    !(thinks(body) && JSON.stringify(body.messages ?? []).includes('"tool_reference"')),
  holdTo(body, tool) {
    if (!thinks(body)) return { ...body, tool_choice: { type: "tool", name: tool } };
    const { tool_choice: _, ...rest } = body;
    return { ...rest, tools: objectsIn(body.tools).filter(({ name }) => name === tool) };
  },
  answer: (text, asked) =>
    madeMessage(asked, { type: "text", text }, { text: "" }, { type: "text_delta", text }, "end_turn"),
  callAnswer: ({ id, tool, args }, asked) =>
    madeMessage(
      asked,
      { type: "tool_use", id, name: tool, input: args },
      { input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify(args) },
      "tool_use",
    ),
  error: (status, message) => JSON.stringify({ type: "error", error: { type: errorType(status), message } }),
};

/**
 * A block may say that the provider keeps what comes before it in its cache. If it goes, the last one before it that stays says
 * so.
 */
function keptInCache(messages: unknown, goes: (block: Json) => boolean): JsonEdit[] {
  const edits: JsonEdit[] = [];
  let last: { readonly path: JsonPath; readonly block: Json } | undefined;
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [];
  for (const [at, message] of all.entries()) {
    const { content } = objectIn(message);
    for (const [number, part] of (Array.isArray(content) ? content : []).entries()) {
      const block = objectIn(part);
      const value = block.cache_control;
      if (!goes(block)) last = { path: ["messages", at, "content", number], block };
      else if (value && last && !last.block.cache_control)
        edits.push({ path: last.path, member: { key: "cache_control", value } });
    }
  }
  return edits;
}

function thinks({ thinking }: Json): boolean {
  const { type = "disabled" } = objectIn(thinking);
  return type !== "disabled";
}

const NONE: readonly Json[] = [];

const COUNTS: readonly [part: keyof Usage, name: string][] = [
  ["input", "input_tokens"],
  ["output", "output_tokens"],
  ["cacheRead", "cache_read_input_tokens"],
  ["cacheWrite", "cache_creation_input_tokens"],
];

/** The counts that are there. A compaction by the provider is not in its sums. */
function counts(usage: Json): Partial<Usage> {
  const compactions = compactionsIn(usage);
  const found: Partial<Usage> = {};
  for (const [part, name] of COUNTS) {
    const count = usage[name];
    if (count === undefined || count === null) continue;
    let sum = tokens(count);
    for (const spent of compactions) sum += tokens(spent[name] ?? 0);
    found[part] = sum;
  }
  return found;
}

function compactionsIn({ iterations }: Json): readonly Json[] {
  if (!iterations) return NONE;
  return objectsIn(iterations).filter(({ type }) => type === "compaction");
}

/** A message that the provider or the program added at the end may have the role `system`. */
function withMessage(body: Json, text: string): Json {
  const all: readonly unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const end = objectIn(all.at(-1));
  const block = { type: "text", text };
  if (end.role === "system" && Array.isArray(end.content))
    return { ...body, messages: all.with(-1, { ...end, content: [...end.content, block] }) };
  const last = all.findLastIndex((message) => objectIn(message).role !== "system");
  const message = objectIn(all[last]);
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

/** A message that is one block. In a stream it begins `empty`, and `delta` has the rest. */
function madeMessage(
  { model, streams }: Asked,
  block: Json,
  empty: Json,
  delta: Json,
  stop_reason: string,
): MadeAnswer {
  const message = {
    id: madeId("msg_"),
    type: "message",
    role: "assistant",
    model: model ?? "none",
    content: [block],
    stop_reason,
    stop_sequence: null,
    usage: NOTHING_USED,
  };
  if (!streams) return madeJson(message);
  return madeEvents([
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { ...block, ...empty } },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: NOTHING_USED },
    { type: "message_stop" },
  ]);
}

function errorType(status: number): string {
  if (status === 402) return "billing_error";
  if (status === 413) return "request_too_large";
  return status >= 500 ? "api_error" : "invalid_request_error";
}
