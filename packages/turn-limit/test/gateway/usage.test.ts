import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { price } from "../../src/prices/index.ts";
import { agent } from "./an-agent.ts";
import { recordingProvider } from "./recording-provider.ts";

const json = (response: ServerResponse, body: object) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
const events = (response: ServerResponse, ...all: object[]) =>
  response
    .writeHead(200, { "content-type": "text/event-stream" })
    .end(all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
const asks = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

const message = { type: "message", model: "m", usage: { input_tokens: 7, output_tokens: 3 } };

test.each<[path: string, answer: object, tokens: { input: number; output: number }]>([
  ["/v1/messages/", message, { input: 7, output: 3 }],
  ["/v1/messages//", message, { input: 7, output: 3 }],
  ["/v1/%6dessages", message, { input: 7, output: 3 }],
  ["/v1/messages;v=1", message, { input: 7, output: 3 }],
  ["/v1/messages%3Fv=1", message, { input: 7, output: 3 }],
  ["/v1/embeddings", { model: "e", usage: { prompt_tokens: 8, total_tokens: 8 } }, { input: 8, output: 0 }],
  ["/v1/embeddings/", { model: "e", usage: { total_tokens: 8 } }, { input: 8, output: 0 }],
  ["/v1/images/generations", { usage: { input_tokens: 5, output_tokens: 900 } }, { input: 5, output: 900 }],
  [
    "/v1/responses/compact",
    {
      model: "m",
      usage: { input_tokens: 90, output_tokens: 9, input_tokens_details: { cached_tokens: 50 } },
    },
    { input: 40, output: 9 },
  ],
])("the usage of %s is counted", async (path, answer, { input, output }) => {
  const provider = await recordingProvider((_, response) => json(response, answer));
  const { base, close } = await agent({ tokens: 100_000 }, provider);
  await (await fetch(base + path, asks({ model: "m", messages: [], input: "x" }))).text();
  expect(provider.received.map(({ url }) => url)).toEqual([path]);
  expect(await close()).toMatchObject({ usage: { input, output }, isEstimate: false });
});

const MODELS = "/v1/projects/p/locations/l/publishers/anthropic/models";

test.each([
  "/V1/Messages",
  `${MODELS}/claude-sonnet-4-5:rawPredict`,
  `${MODELS}/claude-sonnet-4-5@20250929:streamRawPredict`,
])("a stream from %s is counted like one of Messages, and cut off it is estimated", async (path) => {
  let isCutOff = false;
  const provider = await recordingProvider((_, response) => {
    const start = { type: "message_start", message: { model: "m", usage: { input_tokens: 7 } } };
    const end = { type: "message_delta", usage: { output_tokens: 3 } };
    events(response, start, ...(isCutOff ? [] : [end]));
  });
  const { base, close } = await agent({ tokens: 100_000 }, provider);
  const ask = async () => (await fetch(base + path, asks({ messages: [], stream: true }))).text();
  await ask();
  isCutOff = true;
  await ask();
  expect(await close()).toMatchObject({ usage: { input: 14, output: 3 }, isEstimate: true, requests: 2 });
});

test("the case of a path makes Chat Completions and Gemini no other protocol", async () => {
  const chat = { model: "m", choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } };
  const gemini = { usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, thoughtsTokenCount: 1 } };
  const provider = await recordingProvider(({ url }, response) =>
    json(response, url.includes("gemini") ? gemini : chat),
  );
  const { base, close } = await agent({ tokens: 100_000 }, provider);
  for (const path of ["/V1/Chat/Completions", "/v1beta/Models/gemini-2.5-pro:GenerateContent"])
    await (await fetch(base + path, asks({ messages: [], contents: [] }))).text();
  expect(await close()).toMatchObject({ usage: { input: 14, output: 6 }, isEstimate: false });
});

test.each(["x-http-method-override", "x-http-method", "x-method-override"])(
  "a GET that the header %s makes a POST counts like one",
  async (name) => {
    const provider = await recordingProvider((_, response) => json(response, message));
    const { base, close } = await agent({ requests: 1 }, provider);
    const get = () => fetch(`${base}/v1/messages`, { headers: { [name]: "POST" } });
    expect([(await get()).status, (await get()).status]).toEqual([200, 402]);
    expect(provider.received).toHaveLength(1);
    expect(await close()).toMatchObject({ requests: 1, usage: { input: 7, output: 3 } });
  },
);

test.each([
  ["/v1/embeddings", { data: [{ embedding: Array(1000).fill(0.1) }] }],
  ["/v1/images/generations", { data: [{ b64_json: "x".repeat(1000) }] }],
])("an answer of %s that does not report its usage is told as an estimate", async (path, answer) => {
  const provider = await recordingProvider((_, response) => json(response, answer));
  const { base, close } = await agent({ tokens: 100_000 }, provider);
  await (await fetch(base + path, asks({ model: "m", input: "x".repeat(4000) }))).text();
  const { usage, isEstimate } = await close();
  expect(isEstimate).toBe(true);
  expect(usage?.input).toBeGreaterThanOrEqual(1000);
  expect(usage?.input).toBeLessThan(1100);
  expect(usage?.output).toBe(0);
});

test("an endpoint that asks no model takes nothing", async () => {
  const provider = await recordingProvider((_, response) => json(response, { ok: true }));
  const { base, close } = await agent({ tokens: 100_000 }, provider);
  await (await fetch(`${base}/api/event_logging/batch`, asks({ events: ["x".repeat(4000)] }))).text();
  expect(await close()).toMatchObject({ usage: { input: 0, output: 0 }, isEstimate: false, requests: 1 });
});

test("embeddings have a price, and a cost limit holds them", async () => {
  const usage = { prompt_tokens: 1_000_000, total_tokens: 1_000_000 };
  const model = "text-embedding-3-small";
  const provider = await recordingProvider((_, response) => json(response, { model, usage }));
  const { base, close } = await agent({ cost: 0.03, price }, provider);
  const statuses: number[] = [];
  for (let at = 0; at < 3; at += 1)
    statuses.push((await fetch(`${base}/v1/embeddings`, asks({ model, input: "x" }))).status);
  expect(statuses).toEqual([200, 200, 402]);
  expect((await close()).usage?.cost).toBeCloseTo(0.04);
});

test("an answer in the background counts when it is there, and once", async () => {
  let status = "queued";
  const provider = await recordingProvider(({ url }, response) => {
    const usage = status === "completed" ? { input_tokens: 70, output_tokens: 30 } : null;
    const answer = { id: "resp_1", object: "response", model: "m", status, usage };
    if (url.includes("stream=true")) events(response, { type: `response.${status}`, response: answer });
    else json(response, answer);
  });
  const { base, gateway, close } = await agent({ tokens: 100 }, provider);
  const look = async (query = "") => (await fetch(`${base}/v1/responses/resp_1${query}`)).text();
  await (await fetch(`${base}/v1/responses`, asks({ model: "m", input: "x", background: true }))).text();
  status = "in_progress";
  await look();
  expect(gateway.run.summary).toMatchObject({ isEstimate: true, requests: 1 });
  status = "completed";
  await look("?stream=true");
  await look();
  expect(gateway.run.summary).toMatchObject({ usage: { input: 70, output: 30 }, isEstimate: false });
  expect((await fetch(`${base}/v1/responses`, asks({ model: "m", input: "y" }))).status).toBe(402);
  expect(await close()).toMatchObject({ requests: 1, endedBy: { limit: "tokens", used: 100 } });
});

test("usage in an event of many megabytes is counted", async () => {
  const output = [{ type: "image_generation_call", result: "x".repeat(9 * 1024 * 1024) }];
  const usage = { input_tokens: 70, output_tokens: 30 };
  const provider = await recordingProvider((_, response) =>
    events(
      response,
      { type: "response.created", response: { model: "m", status: "in_progress", id: "r", usage: null } },
      { type: "response.completed", response: { model: "m", status: "completed", output, usage } },
    ),
  );
  const { base, close } = await agent({ tokens: 100_000 }, provider);
  await (await fetch(`${base}/v1/responses`, asks({ model: "m", input: "x", stream: true }))).text();
  expect(await close()).toMatchObject({ usage: { input: 70, output: 30 }, isEstimate: false });
});
