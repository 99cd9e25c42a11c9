import { expect, test } from "vitest";
import { deepFreeze } from "../../../src/core/checks.ts";
import { PROTOCOLS, protocolOf } from "../../../src/gateway/protocols/all-protocols.ts";
import { chatCompletions } from "../../../src/gateway/protocols/chat-completions.ts";
import { gemini } from "../../../src/gateway/protocols/gemini.ts";
import { messages } from "../../../src/gateway/protocols/messages.ts";
import type { Json, Protocol } from "../../../src/gateway/protocols/protocol.ts";
import { responses } from "../../../src/gateway/protocols/responses.ts";

test.each([
  ["/v1/messages", "messages"],
  ["/secret/0/v1/messages", "messages"],
  ["/v1/messages/count_tokens", undefined],
  ["/v1/responses", "responses"],
  ["/v1/responses/resp_1", undefined],
  ["/openai/deployments/d/chat/completions", "chat-completions"],
  ["/v1/completions", undefined],
  ["/v1beta/models/gemini-a:generateContent", "gemini"],
  ["/v1beta/models/gemini-a:streamGenerateContent", "gemini"],
  ["/v1beta/models/gemini-a:countTokens", undefined],
  ["/v1/models", undefined],
])("%s is asked in %s", (path, name) => {
  expect(protocolOf(path)?.name).toBe(name);
});

test.each<[Protocol, string, string, Json, object | undefined]>([
  [
    messages,
    "/v1/messages",
    "beta=true",
    { model: "a", messages: [], stream: true },
    { model: "a", streams: true },
  ],
  [messages, "/v1/messages", "", { role: "user", content: "" }, undefined],
  [responses, "/v1/responses", "", { model: "a", input: "Hi" }, { model: "a", streams: false }],
  [responses, "/v1/responses", "", { model: "a", input: 5 }, undefined],
  [
    chatCompletions,
    "/v1/chat/completions",
    "",
    { messages: [], stream: "yes" },
    { model: undefined, streams: false },
  ],
  [chatCompletions, "/v1/chat/completions", "", { messages: {} }, undefined],
  [gemini, "/models/a:generateContent", "", { contents: [] }, { model: "a", streams: false }],
  [gemini, "/models/a:streamGenerateContent", "?alt=sse", { contents: [] }, { model: "a", streams: true }],
  [
    gemini,
    "/models/a:streamGenerateContent",
    "key=k",
    { contents: [] },
    { model: "a", streams: true, isList: true },
  ],
  [gemini, "/models/a:generateContent", "", {}, undefined],
])("what is asked: $name %s?%s %j", (protocol, path, query, body, asked) => {
  expect(protocol.asked(path, query, body)).toEqual(asked);
});

const text = (text: string) => ({ type: "text", text });
const user = (content: unknown) => ({ role: "user", content });
const assistant = { role: "assistant", content: "Hi" };
const system = { role: "system", content: "Environment" };
const result = { type: "tool_result", tool_use_id: "t", content: "done" };
const inputText = (text: string) => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
});
const output = { type: "function_call_output", call_id: "c", output: "done" };
const toolMessage = { role: "tool", tool_call_id: "c", content: "done" };
const userText = (...texts: string[]) => ({ role: "user", parts: texts.map((text) => ({ text })) });
const functionResult = { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] };

test.each<[string, Protocol, Json, Json]>([
  ["a text", messages, { messages: [user("a")] }, { messages: [user([text("a"), text("END")])] }],
  ["blocks", messages, { messages: [user([result])] }, { messages: [user([result, text("END")])] }],
  [
    "a system message after it",
    messages,
    { messages: [assistant, user([result]), system] },
    { messages: [assistant, user([result, text("END")]), system] },
  ],
  [
    "an answer",
    messages,
    { messages: [user("a"), assistant] },
    { messages: [user("a"), assistant, user([text("END")])] },
  ],
  ["no text", messages, { messages: [user("")] }, { messages: [user([text("END")])] }],
  ["a text", responses, { input: "a" }, { input: [inputText("a"), inputText("END")] }],
  ["items", responses, { input: [output] }, { input: [output, inputText("END")] }],
  ["nothing", responses, { prompt: { id: "p" } }, { prompt: { id: "p" }, input: [inputText("END")] }],
  ["a result", chatCompletions, { messages: [toolMessage] }, { messages: [toolMessage, user("END")] }],
  ["a text", gemini, { contents: [userText("a")] }, { contents: [userText("a", "END")] }],
  ["a result", gemini, { contents: [functionResult] }, { contents: [functionResult, userText("END")] }],
  [
    "an answer",
    gemini,
    { contents: [{ role: "model", parts: [{ text: "a" }] }] },
    { contents: [{ role: "model", parts: [{ text: "a" }] }, userText("END")] },
  ],
])("a message for the model after %s (%#)", (_after, protocol, body, changed) => {
  const asked = deepFreeze({ ...body, unknown: [1] });
  expect(protocol.withMessage(asked, "END")).toEqual({ ...changed, unknown: [1] });
});

const functions = [{ functionDeclarations: [{ name: "f" }] }];

test.each<[Protocol, Json, Json]>([
  [
    messages,
    { tools: [{ name: "f" }], tool_choice: { type: "any", disable_parallel_tool_use: true } },
    { tools: [{ name: "f" }], tool_choice: { type: "none" } },
  ],
  [messages, { tools: [] }, { tools: [] }],
  [messages, {}, {}],
  [
    responses,
    { input: [{ type: "additional_tools" }] },
    { input: [{ type: "additional_tools" }], tool_choice: "none" },
  ],
  [
    chatCompletions,
    { tools: [{}], tool_choice: "required", parallel_tool_calls: true },
    { tools: [{}], tool_choice: "none", parallel_tool_calls: true },
  ],
  [chatCompletions, { functions: [{}] }, { functions: [{}], function_call: "none" }],
  [chatCompletions, { messages: [] }, { messages: [] }],
  [
    gemini,
    { tools: functions },
    { tools: functions, toolConfig: { functionCallingConfig: { mode: "NONE" } } },
  ],
  [
    gemini,
    {
      tools: [{ function_declarations: [{ name: "f" }] }],
      tool_config: {
        function_calling_config: { mode: "ANY", allowed_function_names: ["f"] },
        retrieval_config: {},
      },
    },
    {
      tools: [{ function_declarations: [{ name: "f" }] }],
      tool_config: { function_calling_config: { mode: "NONE" }, retrieval_config: {} },
    },
  ],
  [gemini, { tools: [{ googleSearch: {} }] }, { tools: [{ googleSearch: {} }] }],
])("no tools may be called, and they stay (%#)", (protocol, body, changed) => {
  const asked = deepFreeze({ ...body, unknown: [1] });
  expect(protocol.withoutTools(asked)).toEqual({ ...changed, unknown: [1] });
});

const custom = { type: "custom", name: "f" };
const chatTool = (name: string) => ({ type: "function", function: { name } });

test.each<[Protocol, Json, Json]>([
  [
    messages,
    { tools: [{ name: "f" }, { name: "g" }], tool_choice: { type: "auto" }, thinking: { type: "disabled" } },
    {
      tools: [{ name: "f" }, { name: "g" }],
      tool_choice: { type: "tool", name: "f" },
      thinking: { type: "disabled" },
    },
  ],
  // A model that thinks cannot be made to call a tool.
  [
    messages,
    { tools: [{ name: "f" }, { name: "g" }], tool_choice: { type: "auto" }, thinking: { type: "adaptive" } },
    { tools: [{ name: "f" }], thinking: { type: "adaptive" } },
  ],
  [
    responses,
    { tools: [{ type: "function", name: "f" }, { type: "web_search" }], tool_choice: "auto" },
    {
      tools: [{ type: "function", name: "f" }, { type: "web_search" }],
      tool_choice: { type: "function", name: "f" },
    },
  ],
  [responses, { tools: [custom] }, { tools: [custom], tool_choice: { type: "custom", name: "f" } }],
  [
    chatCompletions,
    { tools: [chatTool("f"), chatTool("g")] },
    { tools: [chatTool("f"), chatTool("g")], tool_choice: { type: "function", function: { name: "f" } } },
  ],
  [
    gemini,
    { tools: functions },
    {
      tools: functions,
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
    },
  ],
  [
    gemini,
    { tools: [{ function_declarations: [{ name: "f" }] }], tool_config: {} },
    {
      tools: [{ function_declarations: [{ name: "f" }] }],
      tool_config: { functionCallingConfig: { mode: "ANY", allowed_function_names: ["f"] } },
    },
  ],
])("one tool has to be called, and no other may be (%#)", (protocol, body, changed) => {
  const asked = deepFreeze({ ...body, unknown: [1] });
  expect([protocol.canHoldTo(asked, "f"), protocol.canHoldTo(asked, "h")]).toEqual([true, false]);
  expect(protocol.holdTo(asked, "f")).toEqual({ ...changed, unknown: [1] });
});

test("a model that thinks keeps its tools where a search has found some", () => {
  const found = [user([{ type: "tool_result", content: [{ type: "tool_reference", tool_name: "g" }] }])];
  const body = { tools: [{ name: "f" }], messages: found };
  expect(messages.canHoldTo(body, "f")).toBe(true);
  expect(messages.canHoldTo({ ...body, thinking: { type: "enabled" } }, "f")).toBe(false);
});

test("a body that is not as expected is no reason to throw", () => {
  for (const protocol of PROTOCOLS)
    for (const odd of [null, 5, "text", {}, [null], [[]], [{ role: "user", content: 5, parts: 5 }]]) {
      const body = { messages: odd, input: odd, contents: odd, tools: odd, toolConfig: odd };
      protocol.asked("/models/a:generateContent", "%", body);
      protocol.withMessage(protocol.withoutTools(body), "END");
      expect(protocol.canHoldTo(body, "f")).toBe(false);
    }
});
