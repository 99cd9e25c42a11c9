import type { ToolCall, Usage } from "../replies.ts";
import {
  dataFrame,
  isObject,
  objectsIn,
  type Protocol,
  textFrame,
  textIn,
  textOfContent,
} from "./protocol.ts";
import type { JsonObject, Message } from "./provider-request.ts";

/** OpenAI's Chat Completions. */
export const chatProtocol: Protocol = {
  name: "chat",
  answers: (path) => path.endsWith("/chat/completions"),
  read: (body) => ({
    model: textIn(body.model),
    streams: body.stream === true,
    messages: objectsIn(body.messages).map(messageIn),
    toolNames: objectsIn(body.tools).map((tool) =>
      isObject(tool.function) ? textIn(tool.function.name) : "",
    ),
    toolsForbidden: body.tool_choice === "none",
  }),
  frames(answer, model, newId) {
    const envelope = { ...completion(model, newId), object: "chat.completion.chunk" };
    const choice = (delta: object, finish_reason: string | null = null) =>
      dataFrame({ ...envelope, choices: [{ index: 0, delta, finish_reason }] });
    const calls = answer.toolCalls.map((call, index) =>
      choice({ tool_calls: [{ index, ...calledFunction(call, newId) }] }),
    );
    return [
      choice({ role: "assistant", content: "" }),
      ...(answer.text === "" ? [] : [textFrame(choice({ content: answer.text }))]),
      ...calls,
      choice({}, answer.finishReason),
      dataFrame({ ...envelope, choices: [], usage: usageOf(answer.usage) }),
      { bytes: "data: [DONE]\n\n" },
    ];
  },
  whole(answer, model, newId) {
    const tool_calls = answer.toolCalls.map((call) => calledFunction(call, newId));
    const message = {
      role: "assistant",
      content: answer.text,
      ...(tool_calls.length > 0 ? { tool_calls } : {}),
    };
    return {
      ...completion(model, newId),
      choices: [{ index: 0, message, finish_reason: answer.finishReason }],
      usage: usageOf(answer.usage),
    };
  },
  error: (status, message) => ({
    error: { message, type: status === 529 ? "overloaded_error" : "scripted_error", param: null, code: null },
  }),
};

function messageIn(message: JsonObject): Message {
  const calls = objectsIn(message.tool_calls).map((call) =>
    isObject(call.function) ? textIn(call.function.name) : "",
  );
  return { role: roleOf(message.role), text: textOfContent(message.content), toolCalls: calls };
}

function roleOf(role: unknown): Message["role"] {
  if (role === "assistant" || role === "tool" || role === "user") return role;
  return "system";
}

function completion(model: string, newId: () => string) {
  return {
    id: `chatcmpl-${newId()}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model,
  };
}

function calledFunction(call: ToolCall, newId: () => string) {
  const called = { name: call.name, arguments: JSON.stringify(call.arguments) };
  return { id: `call_${newId()}`, type: "function", function: called };
}

function usageOf({ promptTokens, completionTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
  };
}
