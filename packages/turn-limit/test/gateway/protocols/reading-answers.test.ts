import fc from "fast-check";
import { expect, test } from "vitest";
import { AnswerReader } from "../../../src/gateway/protocols/answer-reader.ts";
import { chatCompletions } from "../../../src/gateway/protocols/chat-completions.ts";
import { gemini } from "../../../src/gateway/protocols/gemini.ts";
import { LONGEST_ANSWER } from "../../../src/gateway/protocols/json-answer.ts";
import { messages } from "../../../src/gateway/protocols/messages.ts";
import type { Json, Protocol } from "../../../src/gateway/protocols/protocol.ts";
import { responses } from "../../../src/gateway/protocols/responses.ts";
import { LONGEST_EVENT, LOOKED_AT_LAST } from "../../../src/gateway/protocols/server-sent-events.ts";

const ASKED_BYTES = 400;
const EVENTS = "text/event-stream; charset=utf-8";
const JSON_TYPE = "application/json";
const typeOf = (body: string) => (body.startsWith("data:") ? EVENTS : JSON_TYPE);

function report(
  protocol: Protocol,
  body: string,
  { type = typeOf(body), status = 200, cut = [] as number[] } = {},
) {
  const reader = new AnswerReader(protocol, status, type);
  const bytes = Buffer.from(body);
  const ends = [...new Set(cut.map((at) => at % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    reader.push(new Uint8Array(bytes.subarray(from, end)));
    from = end;
  }
  return reader.end(ASKED_BYTES);
}

const stream = (...events: unknown[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

const messageStart = (usage: unknown): Json => ({
  type: "message_start",
  message: { id: "m", type: "message", role: "assistant", model: "claude-a", content: [], usage },
});
const messageText = (text: string): Json => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text },
});
const messageDelta = (usage: unknown): Json => ({
  type: "message_delta",
  delta: { stop_reason: "end_turn" },
  usage,
});
const response = (type: string, usage: unknown): Json => ({
  type,
  response: { id: "r", object: "response", model: "gpt-a", output: [], usage },
});
const responseText = (delta: string): Json => ({
  type: "response.output_text.delta",
  delta,
  obfuscation: "xxxx",
});
const chunk = (delta: Json, rest: Json = {}, finish_reason: string | null = null): Json => ({
  object: "chat.completion.chunk",
  model: "gpt-b",
  choices: [{ index: 0, delta, finish_reason }],
  ...rest,
});
const geminiChunk = (text: string, usageMetadata: unknown, finishReason?: string): Json => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason, index: 0 }],
  usageMetadata,
  modelVersion: "gemini-a",
});

const responsesUsage = { input_tokens: 100, input_tokens_details: { cached_tokens: 60 }, output_tokens: 7 };
const chatUsage = { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 60 }, completion_tokens: 7 };
const geminiUsage = {
  promptTokenCount: 100,
  cachedContentTokenCount: 60,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 2,
};
const COUNTED = { input: 40, output: 7, cacheRead: 60 };

const WHOLE: [string, Protocol, string, object, string][] = [
  [
    "Messages: the last counts replace the first",
    messages,
    stream(
      messageStart({
        input_tokens: 40,
        cache_read_input_tokens: 60,
        cache_creation_input_tokens: 3,
        output_tokens: 1,
      }),
      { type: "ping" },
      messageText("Hello"),
      messageDelta({ input_tokens: null, output_tokens: 7 }),
      { type: "message_stop" },
    ),
    { ...COUNTED, cacheWrite: 3 },
    "claude-a",
  ],
  [
    "Messages: everything in the last event, with a compaction by the provider",
    messages,
    stream(
      messageStart({ input_tokens: 1, output_tokens: 1 }),
      messageDelta({
        input_tokens: 30,
        cache_read_input_tokens: 60,
        output_tokens: 5,
        iterations: [
          { type: "message", input_tokens: 30, output_tokens: 5 },
          { type: "compaction", input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 0 },
        ],
      }),
    ),
    COUNTED,
    "claude-a",
  ],
  [
    "Messages without a stream",
    messages,
    JSON.stringify({
      type: "message",
      model: "claude-a",
      content: [],
      usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 7 },
    }),
    COUNTED,
    "claude-a",
  ],
  ...["completed", "incomplete", "failed"].map((end): (typeof WHOLE)[number] => [
    `Responses: ${end}`,
    responses,
    stream(
      response("response.created", null),
      responseText("Hello"),
      response(`response.${end}`, responsesUsage),
    ),
    COUNTED,
    "gpt-a",
  ]),
  [
    "Responses without a stream",
    responses,
    JSON.stringify(response("", responsesUsage).response),
    COUNTED,
    "gpt-a",
  ],
  [
    "Chat: usage in a chunk of its own",
    chatCompletions,
    `${stream(chunk({ content: "Hello" }, { usage: null }), chunk({}, { usage: null }, "stop"), { model: "gpt-b", choices: [], usage: chatUsage })}data: [DONE]\n\n`,
    COUNTED,
    "gpt-b",
  ],
  [
    "Chat: usage with the last choice",
    chatCompletions,
    stream(chunk({ content: "Hello" }), chunk({ content: "!" }, { usage: chatUsage }, "stop")),
    COUNTED,
    "gpt-b",
  ],
  [
    "Chat: usage in the last choice",
    chatCompletions,
    stream({ model: "gpt-b", choices: [{ delta: {}, finish_reason: "stop", usage: chatUsage }] }),
    COUNTED,
    "gpt-b",
  ],
  [
    "Chat without a stream",
    chatCompletions,
    JSON.stringify({ model: "gpt-b", choices: [{ message: { content: "Hello" } }], usage: chatUsage }),
    COUNTED,
    "gpt-b",
  ],
  [
    "Gemini: the last chunk counts",
    gemini,
    stream(
      geminiChunk("Hel", { promptTokenCount: 100, cachedContentTokenCount: 60 }),
      geminiChunk("lo", geminiUsage, "STOP"),
    ),
    COUNTED,
    "gemini-a",
  ],
  [
    "Gemini as a list, with the results of the provider's own tools",
    gemini,
    JSON.stringify(
      [
        geminiChunk("Hel", {}),
        geminiChunk("lo", { ...geminiUsage, promptTokenCount: 90, toolUsePromptTokenCount: 10 }, "STOP"),
      ],
      null,
      2,
    ),
    COUNTED,
    "gemini-a",
  ],
  [
    "Gemini without a stream",
    gemini,
    JSON.stringify(geminiChunk("Hello", geminiUsage, "STOP")),
    COUNTED,
    "gemini-a",
  ],
  [
    "Gemini refuses a prompt",
    gemini,
    stream({
      promptFeedback: { blockReason: "SAFETY" },
      usageMetadata: { promptTokenCount: 9 },
      modelVersion: "gemini-a",
    }),
    { input: 9, output: 0, cacheRead: 0 },
    "gemini-a",
  ],
];

test.each(WHOLE)("a whole answer says what it took. %s", (_name, protocol, body, usage, model) => {
  expect(report(protocol, body)).toEqual({ usage, model, estimate: undefined });
  expect(report(protocol, body, { type: "application/octet-stream" }), "whatever its type").toMatchObject({
    usage,
    model,
  });
  expect(report(protocol, body, { status: 500 })).toEqual({});
});

// Far more than what is looked at when a stream ends.
const LONG_TEXT = Array.from({ length: LOOKED_AT_LAST / 32 }, () => "eight by");

const MANY = stream(...LONG_TEXT.map((content) => chunk({ content })));

const CUT_OFF: [string, Protocol, string, object][] = [
  [
    "Messages: the input is known",
    messages,
    stream(
      messageStart({ input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 1 }),
      messageText("twelve bytes"),
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "input_json_delta", partial_json: '{"a":"ü"' },
      },
    ),
    { input: 40, output: 6, cacheRead: 60 },
  ],
  [
    "Messages: an error in the stream",
    messages,
    stream(messageStart({ input_tokens: 40, output_tokens: 3 }), {
      type: "error",
      error: { type: "overloaded_error" },
    }),
    { input: 40, output: 3 },
  ],
  [
    "Messages: a long answer is measured by its end",
    messages,
    stream(messageStart({ input_tokens: 40, output_tokens: 1 }), ...LONG_TEXT.map(messageText)),
    { input: 40, output: 2 * LONG_TEXT.length },
  ],
  [
    "Messages: what it says at its end is no usage",
    messages,
    stream(
      messageStart({ input_tokens: 40, output_tokens: 1 }),
      messageText("twelve bytes"),
      messageDelta({ output_tokens: -1 }),
    ),
    { input: 40, output: 3 },
  ],
  [
    "Responses",
    responses,
    stream(response("response.created", null), responseText("twelve bytes")),
    { input: 100, output: 3 },
  ],
  [
    "Chat",
    chatCompletions,
    stream(
      chunk({ role: "assistant", content: "", reasoning_content: "twelve bytes" }, { usage: null }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}!' } }] }, { usage: null }),
    ),
    { input: 100, output: 5 },
  ],
  [
    "Chat: the usage so far is known",
    chatCompletions,
    stream(chunk({ content: "twelve bytes" }, { usage: { prompt_tokens: 30, completion_tokens: 9 } })),
    { input: 30, output: 9, cacheRead: 0 },
  ],
  [
    "Gemini: the input is known",
    gemini,
    stream(geminiChunk("twelve bytes", { promptTokenCount: 30 })),
    { input: 30, output: 3, cacheRead: 0 },
  ],
  [
    "Gemini as a list, in the middle of an item",
    gemini,
    `[${JSON.stringify(geminiChunk("twelve bytes", { promptTokenCount: 30 }), null, 2)}\n,\r\n{ "candidates": [`,
    { input: 30, output: 3, cacheRead: 0 },
  ],
  [
    "JSON in the middle",
    chatCompletions,
    '{"choices":[{"message":{"content":"thirty-two',
    { input: 100, output: 12 },
  ],
  ["nothing at all", chatCompletions, "", { input: 100, output: 0 }],
];

test.each(CUT_OFF)("an answer that is cut off is estimated. %s", (_name, protocol, body, estimate) => {
  expect(report(protocol, body)).toMatchObject({ usage: undefined, estimate });
});

test.each([-1, "7", 1e300, true, {}, [7]])(
  "%j is no number of tokens, so the answer does not say what it took",
  (bad) => {
    const bodies: [Protocol, string][] = [
      [messages, stream(messageStart({ input_tokens: 4 }), messageDelta({ output_tokens: bad }))],
      [
        messages,
        stream(
          messageStart({ input_tokens: 4 }),
          messageDelta({ output_tokens: 1, cache_read_input_tokens: bad }),
        ),
      ],
      [responses, stream(response("response.completed", { ...responsesUsage, input_tokens: bad }))],
      [
        chatCompletions,
        stream({ choices: [], usage: { ...chatUsage, prompt_tokens_details: { cached_tokens: bad } } }),
      ],
      [gemini, stream(geminiChunk("", { ...geminiUsage, thoughtsTokenCount: bad }, "STOP"))],
    ];
    for (const [protocol, body] of bodies) {
      const { usage, estimate } = report(protocol, body);
      expect(usage, protocol.name).toBeUndefined();
      for (const count of Object.values(estimate ?? {})) expect(count).toBeOneOf([...Array(101).keys()]);
    }
  },
);

test("any text, wherever it is cut, is read the same way", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "",
      "",
      ": comment",
      "event: message_delta",
      "data",
      "data:",
      " data: {}",
      "data: [DONE]",
      "data: {",
      "data: ü😀",
    ),
    fc.constantFrom(...WHOLE.flatMap(([, , body]) => body.split("\n"))),
    fc.constantFrom(
      'data: {"usage":',
      'data: {"prompt_tokens":1,"completion_tokens":2}}',
      'data: {"usage": null}',
    ),
    fc.constantFrom(
      'data: {"type":"message_start","message":5,"usage":{"iterations":[5]},"choices":[5,{"delta":5}]}',
      'data: {"type":"message_delta","usage":{"input_tokens":1},"response":{"usage":{}},"delta":"x"}',
      'data: {"usageMetadata":{},"candidates":[{"content":{"parts":[5,{"functionCall":5}]}}]}',
    ),
    fc.string({ maxLength: 9 }),
  );
  const body = fc
    .tuple(
      fc.array(line, { maxLength: 40 }),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom(1, 12),
      fc.boolean(),
    )
    .map(([lines, end, times, late]) => (late ? MANY : "") + `${lines.join(end)}${end}`.repeat(times));
  const cuts = fc.array(fc.nat(), { maxLength: 30 });
  const protocol = fc.constantFrom(messages, responses, chatCompletions, gemini);
  fc.assert(
    fc.property(protocol, body, cuts, fc.constantFrom(EVENTS, JSON_TYPE), (protocol, body, cut, type) => {
      expect(report(protocol, body, { cut, type })).toEqual(report(protocol, body, { type }));
    }),
    { numRuns: 60 },
  );
  for (const [name, protocol, whole, usage] of WHOLE) {
    const everywhere = Array.from({ length: Buffer.byteLength(whole) }, (_, at) => at);
    expect(report(protocol, whole, { cut: everywhere }), name).toMatchObject({ usage });
  }
});

test.each([0, 1, LONG_TEXT.length])(
  "usage after %d texts is found, over many lines, with comments",
  (texts) => {
    const start = messageStart({ input_tokens: 40, output_tokens: 1 });
    const before = stream(start, ...LONG_TEXT.slice(0, texts).map(messageText));
    const lines = JSON.stringify(messageDelta({ output_tokens: 7 }), null, 2).replace(/^/gm, "data:");
    const last = `: a comment\nevent: message_delta\n${lines}\n\nevent: ping\ndata: {}\n\n`;
    for (const end of ["\n", "\r\n"]) {
      const body = (before + last).replaceAll("\n", end);
      const everywhere = Array.from({ length: body.length }, (_, at) => at);
      for (const cut of [
        [],
        everywhere,
        [body.lastIndexOf("}") - 1],
        everywhere.filter((at) => body[at] === "\r"),
      ])
        expect(report(messages, body, { cut }).usage).toEqual({ input: 40, output: 7 });
    }
  },
);

test.each(["x", "data: {}\n\n"])(
  "%j again and again, without an end, takes no more memory than a long event",
  (text) => {
    const reader = new AnswerReader(messages, 200, EVENTS);
    const chunk = Buffer.alloc(LONGEST_EVENT / 4, text);
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 400; count += 1) reader.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * LONGEST_EVENT);
  },
);

test("an event or an answer that is too long is not kept, and what comes after it is read", () => {
  const long = `data: {"usage":{"prompt_tokens":1,"completion_tokens":1},"x":"${"x".repeat(LONGEST_EVENT)}"}\n\n`;
  const usage = stream({ choices: [], usage: chatUsage });
  for (const size of [long.length * 2, 10_001]) {
    const cut = Array.from({ length: Math.ceil(long.length / size) }, (_, index) => index * size);
    expect(report(chatCompletions, long + usage, { cut }).usage).toEqual(COUNTED);
    expect(report(chatCompletions, long, { cut })).toMatchObject({
      usage: undefined,
      estimate: { input: 100, output: 0 },
    });
  }
  const answer = `{"usage":${JSON.stringify(chatUsage)},"x":"${"x".repeat(LONGEST_ANSWER)}"}`;
  expect(report(chatCompletions, answer, { type: JSON_TYPE })).toMatchObject({
    usage: undefined,
    estimate: { input: 100, output: Math.ceil(answer.length / 4) },
  });
});
