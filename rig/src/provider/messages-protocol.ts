import type { Answer } from "../replies.ts";
import {
  eventFrame,
  type Frame,
  isObject,
  objectsIn,
  type Protocol,
  textFrame,
  textIn,
  textOfContent,
} from "./protocol.ts";
import type { JsonObject, Message } from "./provider-request.ts";

const stopReasons = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens" };

/** Anthropic's Messages. */
export const messagesProtocol: Protocol = {
  name: "messages",
  answers: (path) => path.endsWith("/v1/messages"),
  read: (body) => ({
    model: textIn(body.model),
    streams: body.stream === true,
    messages: [
      { role: "system", text: textOfContent(body.system), toolCalls: [] },
      ...objectsIn(body.messages).flatMap(messagesIn),
    ],
    toolNames: objectsIn(body.tools).map((tool) => textIn(tool.name)),
    toolsForbidden: isObject(body.tool_choice) && body.tool_choice.type === "none",
  }),
  frames(answer, model, newId) {
    const { content, stop_reason, usage, ...envelope } = message(answer, model, newId);
    const start = { ...envelope, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
    return [
      eventFrame("message_start", { message: start }),
      ...content.flatMap(blockFrames),
      eventFrame("message_delta", {
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: usage.output_tokens },
      }),
      eventFrame("message_stop"),
    ];
  },
  whole: message,
  error: (status, text) => ({ type: "error", error: { type: errorType(status), message: text } }),
};

// One message may hold the results of tools and, beside them, what a person wrote meanwhile.
function messagesIn(message: JsonObject): Message[] {
  const role = message.role === "assistant" || message.role === "system" ? message.role : "user";
  const blocks =
    typeof message.content === "string"
      ? [{ type: "text", text: message.content }]
      : objectsIn(message.content);
  const results = blocks.filter((block) => block.type === "tool_result");
  const texts = blocks.filter((block) => block.type === "text");
  const toolCalls = blocks.filter((block) => block.type === "tool_use").map((block) => textIn(block.name));
  return [
    ...results.map(
      (result): Message => ({ role: "tool", text: textOfContent(result.content), toolCalls: [] }),
    ),
    ...(texts.length + toolCalls.length > 0
      ? [{ role, text: textOfContent(texts), toolCalls } satisfies Message]
      : []),
  ];
}

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: object };

function message(answer: Answer, model: string, newId: () => string) {
  const { promptTokens, completionTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = answer.usage;
  const content: Block[] = answer.toolCalls.map((call) => ({
    type: "tool_use",
    id: `toolu_${newId()}`,
    name: call.name,
    input: call.arguments,
  }));
  if (answer.text !== "") content.unshift({ type: "text", text: answer.text });
  return {
    id: `msg_${newId()}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: stopReasons[answer.finishReason],
    stop_sequence: null,
    usage: {
      input_tokens: promptTokens - cacheReadTokens - cacheWriteTokens,
      cache_creation_input_tokens: cacheWriteTokens,
      cache_read_input_tokens: cacheReadTokens,
      output_tokens: completionTokens,
    },
  };
}

function blockFrames(block: Block, index: number): Frame[] {
  const event = (type: string, fields: object) => eventFrame(type, { index, ...fields });
  const start = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
  const delta =
    block.type === "text"
      ? textFrame(event("content_block_delta", { delta: { type: "text_delta", text: block.text } }))
      : event("content_block_delta", {
          delta: { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        });
  return [event("content_block_start", { content_block: start }), delta, event("content_block_stop", {})];
}

function errorType(status: number): string {
  if (status === 529) return "overloaded_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "api_error" : "invalid_request_error";
}
