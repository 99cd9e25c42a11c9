import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PROTOCOLS, protocolOf } from "../../../src/gateway/protocols/all-protocols.ts";
import { AnswerReader } from "../../../src/gateway/protocols/answer-reader.ts";
import type { Asked } from "../../../src/gateway/protocols/protocol.ts";

const TEXT = 'Stopped: 25 of 25 turns. "ü"\n\nRaise it.';

// Answers every request with the text, or with an error.
let server: Server;
let address: string;
let status = 200;
let requests = 0;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    requests += 1;
    const { pathname, search } = new URL(request.url ?? "", "http://localhost");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const protocol = protocolOf(pathname);
    const asked = protocol?.asked(pathname, search, JSON.parse(Buffer.concat(chunks).toString()));
    if (protocol === undefined || asked === undefined) {
      response.writeHead(404).end();
    } else if (status === 200) {
      const { contentType, body } = protocol.answer(TEXT, asked);
      response.writeHead(200, { "content-type": contentType }).end(body);
    } else {
      response.writeHead(status, { "content-type": "application/json" }).end(protocol.error(status, TEXT));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  status = 200;
  requests = 0;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const anthropic = () => new Anthropic({ apiKey: "key", baseURL: address });
const openai = () => new OpenAI({ apiKey: "key", baseURL: `${address}/v1` });
const google = () => new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: address } });

const hello = [{ role: "user" as const, content: "Hello" }];
const message = { model: "claude-a", max_tokens: 9, messages: hello };

test("Anthropic's own client takes it as a finished message", async () => {
  const whole = await anthropic().messages.create(message);
  const streamed = await anthropic().messages.stream(message).finalMessage();
  for (const answer of [whole, streamed])
    expect(answer).toMatchObject({
      role: "assistant",
      model: "claude-a",
      content: [{ type: "text", text: TEXT }],
      stop_reason: "end_turn",
      usage: { input_tokens: 0, output_tokens: 0 },
    });
});

test("OpenAI's own client takes it as a finished response", async () => {
  const whole = await openai().responses.create({ model: "gpt-a", input: "Hello" });
  const streamed = await openai().responses.stream({ model: "gpt-a", input: "Hello" }).finalResponse();
  for (const answer of [whole, streamed])
    expect(answer).toMatchObject({
      model: "gpt-a",
      status: "completed",
      output: [{ role: "assistant", content: [{ type: "output_text", text: TEXT }] }],
      usage: { input_tokens: 0, output_tokens: 0 },
    });
  const events = await openai().responses.create({ model: "gpt-a", input: "Hello", stream: true });
  const types = [];
  for await (const event of events) types.push(`${event.sequence_number} ${event.type}`);
  expect(types).toEqual([
    "0 response.created",
    "1 response.in_progress",
    "2 response.output_item.added",
    "3 response.content_part.added",
    "4 response.output_text.delta",
    "5 response.output_text.done",
    "6 response.content_part.done",
    "7 response.output_item.done",
    "8 response.completed",
  ]);
});

test("OpenAI's own client takes it as a finished completion", async () => {
  const chat = openai().chat.completions;
  const whole = await chat.create({ model: "gpt-a", messages: hello });
  const streamed = chat.stream({ model: "gpt-a", messages: hello, stream_options: { include_usage: true } });
  for (const answer of [whole, await streamed.finalChatCompletion()])
    expect(answer).toMatchObject({
      model: "gpt-a",
      choices: [{ message: { role: "assistant", content: TEXT }, finish_reason: "stop" }],
      usage: { prompt_tokens: 0, completion_tokens: 0 },
    });
});

test("Google's own client takes it as finished content", async () => {
  const asked = { model: "gemini-a", contents: "Hello" };
  const answers = [await google().models.generateContent(asked)];
  for await (const chunk of await google().models.generateContentStream(asked)) answers.push(chunk);
  expect(answers).toHaveLength(2);
  for (const answer of answers) {
    expect(answer.text).toBe(TEXT);
    expect(answer).toMatchObject({ modelVersion: "gemini-a", candidates: [{ finishReason: "STOP" }] });
  }
  const list = await fetch(`${address}/v1beta/models/gemini-a:streamGenerateContent`, {
    method: "POST",
    body: JSON.stringify({ contents: [] }),
  });
  expect(await list.json()).toMatchObject([{ candidates: [{ content: { parts: [{ text: TEXT }] } }] }]);
});

test("their clients show the message of an error, and do not ask again", async () => {
  status = 402;
  const calls = [
    () => anthropic().messages.create(message),
    () => openai().responses.create({ model: "gpt-a", input: "Hello" }),
    () => openai().chat.completions.create({ model: "gpt-a", messages: hello }),
    () => google().models.generateContent({ model: "gemini-a", contents: "Hello" }),
  ];
  for (const call of calls) {
    const error = (await call().catch((error) => error)) as Error & { status: number };
    expect(error.status).toBe(402);
    expect(error.message).toContain("25 of 25 turns");
  }
  expect(requests).toBe(calls.length);
});

test("an answer that is made here takes nothing, and has an id of its own", () => {
  for (const protocol of PROTOCOLS)
    for (const asked of [
      { model: undefined, streams: true },
      { model: "a", streams: false },
      { model: "a", streams: true, isList: true },
    ] satisfies Asked[]) {
      const { body, contentType } = protocol.answer("Stopped.", asked);
      expect(body, protocol.name).toContain("Stopped.");
      expect(body).not.toBe(protocol.answer("Stopped.", asked).body);
      const reader = new AnswerReader(protocol, 200, contentType);
      reader.push(Buffer.from(body));
      expect(reader.end(400).usage).toMatchObject({ input: 0, output: 0 });
    }
});
