import { request as httpRequest } from "node:http";
import { expect, test } from "vitest";
import {
  calls,
  cutOff,
  fails,
  type ProtocolName,
  type ProviderScript,
  says,
  startScriptedProvider,
  trickles,
  withText,
  withUsage,
} from "../index.ts";

const hello = { role: "user", content: "Hello." };
const shell = { name: "shell", parameters: {} };

interface Question {
  protocol: ProtocolName;
  path: string;
  streamedPath?: string;
  body: object;
  /** What is added to a body to forbid tools. */
  forbidding: object;
  /** What is in an answer that took 90 tokens, 30 of them cached, and 7 of output. */
  usage: object;
}

const questions: Question[] = [
  {
    protocol: "messages",
    path: "/v1/messages?beta=true",
    body: { model: "m", messages: [hello], tools: [{ name: "shell" }] },
    forbidding: { tool_choice: { type: "none" } },
    usage: { input_tokens: 60, cache_read_input_tokens: 30 },
  },
  {
    protocol: "responses",
    path: "/v1/responses",
    body: { model: "m", input: [{ type: "message", ...hello }], tools: [{ type: "function", ...shell }] },
    forbidding: { tool_choice: "none" },
    usage: { input_tokens: 90, input_tokens_details: { cached_tokens: 30 }, output_tokens: 7 },
  },
  {
    protocol: "chat",
    path: "/v1/chat/completions",
    body: { model: "m", messages: [hello], tools: [{ type: "function", function: shell }] },
    forbidding: { tool_choice: "none" },
    usage: { prompt_tokens: 90, completion_tokens: 7 },
  },
  {
    protocol: "gemini",
    path: "/v1beta/models/m:generateContent",
    streamedPath: "/v1beta/models/m:streamGenerateContent?alt=sse",
    body: {
      contents: [{ role: "user", parts: [{ text: "Hello." }] }],
      tools: [{ functionDeclarations: [shell] }],
    },
    forbidding: { toolConfig: { functionCallingConfig: { mode: "NONE" } } },
    usage: { promptTokenCount: 90, candidatesTokenCount: 7 },
  },
];

const answersAndCalls: ProviderScript = () =>
  withUsage(
    { promptTokens: 90, completionTokens: 7, cacheReadTokens: 30 },
    withText("A greeting.", calls({ name: "shell", arguments: { command: "ls" } })),
  );

function post(address: string, body: object): Promise<Response> {
  return fetch(address, { method: "POST", body: JSON.stringify(body) });
}

/** The field that only an object with all of `fields` has, at any depth of what was answered. */
function holds(value: unknown, fields: object): boolean {
  if (typeof value !== "object" || value === null) return false;
  const here = Object.entries(fields).every(
    ([name, field]) => JSON.stringify((value as Record<string, unknown>)[name]) === JSON.stringify(field),
  );
  return here || Object.values(value).some((inner) => holds(inner, fields));
}

test.each(questions)("answers $protocol in one piece and as a stream", async (question) => {
  await using provider = await startScriptedProvider(answersAndCalls);
  const { path, streamedPath = path, body, forbidding, protocol, usage } = question;

  const whole = await (await post(provider.address + path, body)).json();
  const streamed = await post(provider.address + streamedPath, { ...body, ...forbidding, stream: true });
  const lines = (await streamed.text()).split("\n").filter((line) => line.startsWith("data: {"));
  const events = lines.map((line) => JSON.parse(line.slice("data: ".length)));

  for (const answer of [whole, events]) {
    expect(JSON.stringify(answer)).toContain("A greeting.");
    expect(JSON.stringify(answer)).toContain("ls");
    expect(holds(answer, usage)).toBe(true);
  }
  const seen = { protocol, model: "m", toolNames: ["shell"], ended: "answered" };
  expect(provider.requests).toMatchObject([
    { ...seen, index: 1, streams: false, toolsForbidden: false },
    { ...seen, index: 2, streams: true, toolsForbidden: true },
  ]);
  expect(provider.requests[0]?.messages.at(-1)).toEqual({ role: "user", text: "Hello.", toolCalls: [] });
  expect(provider.requests[0]?.bytes.toString()).toBe(JSON.stringify(body));
});

test("tells who ended a stream early", async () => {
  const replies = [cutOff(says("Never told to the end.")), trickles("On and on."), fails(529)];
  await using provider = await startScriptedProvider(({ index }) => replies[index - 1] ?? says("Done."));
  const body = { messages: [hello], stream: true };
  const address = `${provider.address}/v1/chat/completions`;

  await expect(post(address, body).then((response) => response.text())).rejects.toThrow();
  const leaving = new AbortController();
  const endless = await fetch(address, {
    method: "POST",
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  await endless.body?.getReader().read();
  leaving.abort();
  expect((await post(address, body)).status).toBe(529);

  await expect
    .poll(() => provider.requests.map(({ ended }) => ended))
    .toEqual(["cut off", "aborted", "answered"]);
});

test("counts what asks for no answer apart, and refuses WebSockets", async () => {
  await using provider = await startScriptedProvider(() => says("Done."));
  expect((await fetch(`${provider.address}/v1/models`)).status).toBe(404);
  const headers = { connection: "Upgrade", upgrade: "websocket" };
  const status = await new Promise((resolve, reject) => {
    const asked = httpRequest(`${provider.address}/v1/responses`, { headers });
    asked.on("response", (response) => resolve(response.resume().statusCode));
    asked.on("error", reject);
    asked.end();
  });
  expect(status).toBe(426);
  expect(provider.requests).toEqual([]);
  expect(provider.others.map(({ path }) => path)).toEqual(["/v1/models", "/v1/responses"]);
});
