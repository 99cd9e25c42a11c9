import type { Answer, ToolCall } from "../replies.ts";
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

/** OpenAI's Responses. */
export const responsesProtocol: Protocol = {
  name: "responses",
  answers: (path) => path.endsWith("/responses"),
  read: (body) => ({
    model: textIn(body.model),
    streams: body.stream === true,
    messages: [
      { role: "system", text: textIn(body.instructions), toolCalls: [] },
      ...(typeof body.input === "string"
        ? [userMessage(body.input)]
        : objectsIn(body.input).flatMap(messageIn)),
    ],
    // Codex sends its tools as an item of the input.
    toolNames: [...objectsIn(body.tools), ...objectsIn(body.input).filter(offersTools)].flatMap((tool) =>
      namesIn(tool),
    ),
    toolsForbidden: body.tool_choice === "none",
  }),
  frames(answer, model, newId) {
    const completed = response(answer, model, newId);
    const begun = { ...completed, status: "in_progress", output: [], usage: null };
    let sequence = 0;
    const event = (type: string, fields: object) =>
      eventFrame(type, { sequence_number: sequence++, ...fields });
    return [
      event("response.created", { response: begun }),
      event("response.in_progress", { response: begun }),
      ...completed.output.flatMap((item, index) => itemFrames(item, index, event)),
      event("response.completed", { response: completed }),
    ];
  },
  whole: response,
  error: (_status, message) => ({ error: { message, type: "scripted_error", param: null, code: null } }),
};

function offersTools(item: JsonObject): boolean {
  return item.type === "additional_tools";
}

function namesIn(tool: JsonObject, prefix = ""): string[] {
  if (!Array.isArray(tool.tools)) return [`${prefix}${textIn(tool.name) || textIn(tool.type)}`];
  const inside = typeof tool.name === "string" ? `${prefix}${tool.name}.` : prefix;
  return objectsIn(tool.tools).flatMap((each) => namesIn(each, inside));
}

function userMessage(text: string): Message {
  return { role: "user", text, toolCalls: [] };
}

function messageIn(item: JsonObject): Message[] {
  const type = textIn(item.type) || "message";
  if (type.endsWith("_call_output")) {
    return [{ role: "tool", text: textOfContent(item.output), toolCalls: [] }];
  }
  if (type.endsWith("_call"))
    return [{ role: "assistant", text: "", toolCalls: [textIn(item.name) || type] }];
  if (type === "agent_message") return [userMessage(textOfContent(item.content))];
  if (type !== "message") return [];
  const text = textOfContent(item.content);
  if (item.role === "assistant") return [{ role: "assistant", text, toolCalls: [] }];
  return [item.role === "user" ? userMessage(text) : { role: "system", text, toolCalls: [] }];
}

type Item = { type: string; id: string; [field: string]: unknown };

function response(answer: Answer, model: string, newId: () => string) {
  const { promptTokens, completionTokens, cacheReadTokens = 0 } = answer.usage;
  const output = answer.toolCalls.map((call) => callItem(call, newId));
  if (answer.text !== "") output.unshift(textItem(answer.text, newId));
  const cutShort = answer.finishReason === "length";
  return {
    id: `resp_${newId()}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status: cutShort ? "incomplete" : "completed",
    error: null,
    incomplete_details: cutShort ? { reason: "max_output_tokens" } : null,
    model,
    output,
    usage: {
      input_tokens: promptTokens,
      input_tokens_details: { cached_tokens: cacheReadTokens },
      output_tokens: completionTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: promptTokens + completionTokens,
    },
  };
}

function textItem(text: string, newId: () => string): Item {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: `msg_${newId()}`, role: "assistant", status: "completed", content };
}

function callItem(call: ToolCall, newId: () => string): Item {
  const [namespace, name] = call.name.includes(".") ? call.name.split(".", 2) : [undefined, call.name];
  const called = { status: "completed", call_id: `call_${newId()}`, name, ...(namespace && { namespace }) };
  return call.input === undefined
    ? { type: "function_call", id: `fc_${newId()}`, ...called, arguments: JSON.stringify(call.arguments) }
    : { type: "custom_tool_call", id: `ctc_${newId()}`, ...called, input: call.input };
}

function itemFrames(item: Item, index: number, event: (type: string, fields: object) => Frame): Frame[] {
  const place = { output_index: index, item_id: item.id };
  const added = (empty: object) =>
    event("response.output_item.added", {
      output_index: index,
      item: { ...item, status: "in_progress", ...empty },
    });
  const done = () => event("response.output_item.done", { output_index: index, item });
  if (item.type === "function_call") {
    return [
      added({ arguments: "" }),
      event("response.function_call_arguments.delta", { ...place, delta: item.arguments }),
      event("response.function_call_arguments.done", { ...place, arguments: item.arguments }),
      done(),
    ];
  }
  if (item.type === "custom_tool_call") {
    return [
      added({ input: "" }),
      event("response.custom_tool_call_input.delta", { ...place, delta: item.input }),
      event("response.custom_tool_call_input.done", { ...place, input: item.input }),
      done(),
    ];
  }
  const part = objectsIn(item.content)[0];
  const text = isObject(part) ? textIn(part.text) : "";
  const inPart = { ...place, content_index: 0 };
  return [
    added({ content: [] }),
    event("response.content_part.added", { ...inPart, part: { ...part, text: "" } }),
    textFrame(event("response.output_text.delta", { ...inPart, delta: text })),
    event("response.output_text.done", { ...inPart, text }),
    event("response.content_part.done", { ...inPart, part }),
    done(),
  ];
}
