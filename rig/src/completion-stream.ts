import type { ServerResponse } from "node:http";
import type { Answer } from "./replies.ts";

const trickleMs = 50;
const eventStream = { "content-type": "text/event-stream", "cache-control": "no-cache" };

/** Sends the headers of a streamed completion, without any of its content. */
export function openStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { ...eventStream, ...headers });
  response.flushHeaders();
}

/** Streams an answer as OpenAI chat-completion chunks. `newCallId` names each tool call. */
export function streamAnswer(response: ServerResponse, answer: Answer, newCallId: () => string): void {
  const { send, sendDelta } = beginCompletion(response, newCallId(), answer.headers);
  sendDelta({ role: "assistant" });
  if (answer.text !== "") sendDelta({ content: answer.text });
  answer.toolCalls.forEach((call, index) => {
    const called = { name: call.name, arguments: JSON.stringify(call.arguments) };
    sendDelta({ tool_calls: [{ index, id: newCallId(), type: "function", function: called }] });
  });
  send({ choices: [{ index: 0, delta: {}, finish_reason: answer.finishReason }] });
  const { promptTokens, completionTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = answer.usage;
  send({
    choices: [],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      prompt_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    },
  });
  response.end("data: [DONE]\n\n");
}

/** Streams text, a bit at a time, until either side hangs up. */
export function streamWithoutEnd(response: ServerResponse, text: string, id: string): void {
  const { sendDelta } = beginCompletion(response, id);
  const bits = setInterval(() => sendDelta({ content: text }), trickleMs);
  response.on("close", () => clearInterval(bits));
}

function beginCompletion(response: ServerResponse, id: string, headers?: Answer["headers"]) {
  openStream(response, headers);
  const envelope = {
    id: `completion-${id}`,
    object: "chat.completion.chunk",
    created: Math.floor(Date.now() / 1000),
    model: "scripted-model",
  };
  const send = (chunk: object) => response.write(`data: ${JSON.stringify({ ...envelope, ...chunk })}\n\n`);
  const sendDelta = (delta: object) => send({ choices: [{ index: 0, delta, finish_reason: null }] });
  return { send, sendDelta };
}

/** Answers with an OpenAI-style error body. */
export function sendError(response: ServerResponse, status: number, message: string): void {
  const type = status === 529 ? "overloaded_error" : "scripted_error";
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, type, param: null, code: null } }));
}
