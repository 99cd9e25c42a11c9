import { request as httpRequest } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { codex } from "../../src/gateway/agents/codex.ts";
import { createGateway, type GatewayOptions } from "../../src/gateway/gateway.ts";
import type { Reply } from "../../src/index.ts";
import { price } from "../../src/prices/index.ts";
import { agent, PROFILE, statuses, times } from "./an-agent.ts";
import { answerWith, recordingProvider } from "./recording-provider.ts";

test("the fuse lets five requests through, and refuses each one after them with 402", async () => {
  const provider = await recordingProvider();
  const { send, close } = await agent({ requests: 5, howToRaise: "Use --max-requests." }, provider);
  const answers = await times(8, () => send());
  expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 402, 402, 402]);
  expect(answers[5]?.text).toBe(
    "Request limit reached (5/5). No more requests are sent in this run. Use --max-requests.",
  );
  expect(provider.received).toHaveLength(5);
  expect(await close()).toMatchObject({
    outcome: { kind: "stopped", limit: "requests" },
    requests: 5,
    turns: 0,
    usage: { input: 35, output: 15 },
    isEstimate: false,
  });
});

test("of twenty requests at once the fuse lets five through", async () => {
  const provider = await recordingProvider();
  const { send } = await agent({ requests: 5 }, provider);
  const answers = await Promise.all(Array.from({ length: 20 }, () => send()));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(provider.received).toHaveLength(5);
});

test("tokens and cost of every request count, also of those besides the turns", async () => {
  const provider = await recordingProvider(
    answerWith("ok", { input_tokens: 100_000, output_tokens: 100_000 }),
  );
  const { send, close } = await agent({ cost: 5, price, profile: PROFILE }, provider);
  // $0.30 and $1.50.
  expect(statuses([await send("title"), await send("compaction"), await send("turn")])).toEqual([
    200, 200, 200,
  ]);
  expect((await send("title")).text).toMatch(/^Cost limit reached \(\$5\.40\/\$5\.00\)\./);
  expect(provider.received).toHaveLength(3);
  expect(await close()).toMatchObject({ outcome: { kind: "stopped", limit: "cost" }, usage: { cost: 5.4 } });
});

test("turns are counted, and not titles, compactions and retries; the loop ends with one text, then everything is refused", async () => {
  const provider = await recordingProvider();
  const { send, close } = await agent(
    { turns: 2, profile: PROFILE, howToRaise: "Use --max-turns." },
    provider,
  );
  expect(statuses([await send("title"), await send("turn"), await send("compaction")])).toEqual([
    200, 200, 200,
  ]);
  expect(statuses([await send("turn", {}, "same"), await send("turn", {}, "same")])).toEqual([200, 200]);
  expect(await send("compaction")).toMatchObject({ status: 200, text: "ok" });
  expect(await send("turn")).toEqual({
    status: 200,
    text: "Turn limit reached (2/2). The run was stopped here. Use --max-turns.",
  });
  expect(
    statuses([await send("turn"), await send("compaction"), await send("title"), await send("sub")]),
  ).toEqual([402, 402, 402, 402]);
  expect(provider.received).toHaveLength(6);
  expect(await close()).toMatchObject({
    outcome: { kind: "stopped", limit: "turns" },
    turns: 2,
    requests: 6,
  });
});

test("sub-agents count with their parent, and are refused where the parent gets a text", async () => {
  const provider = await recordingProvider();
  const { send } = await agent({ turns: 3, profile: PROFILE }, provider);
  await Promise.all([send("sub", { "x-talk": "one" }), send("sub", { "x-talk": "two" }), send("turn")]);
  expect((await send("sub", { "x-talk": "one" })).status).toBe(402);
  expect((await send("turn")).status).toBe(200);
  expect((await send("turn")).status).toBe(402);
  expect(provider.received).toHaveLength(3);
});

test("the request of another program, which the agent started, is a turn", async () => {
  const provider = await recordingProvider();
  const { send } = await agent({ turns: 2, profile: PROFILE }, provider);
  const other = { "user-agent": "python/3" };
  const answers = await times(3, () => send("", other));
  expect(statuses(answers)).toEqual([200, 200, 402]);
});

test("a version that was not tested is held like the others, and a person is asked", async () => {
  const provider = await recordingProvider();
  const asked = vi.fn(() => false);
  const { send, warnings } = await agent({ turns: 1, profile: PROFILE, ask: asked }, provider);
  const newer = { "user-agent": "test-agent/2.0" };
  await send("title", newer);
  await send("turn", newer);
  expect(asked).not.toHaveBeenCalled();
  expect((await send("turn", newer)).text).toContain("Turn limit reached (1/1).");
  expect(asked).toHaveBeenCalledOnce();
  expect(provider.received).toHaveLength(2);
  expect(warnings).toEqual([]);
});

test("a version whose first request does not say what it is has every request counted, and that is said once", async () => {
  const provider = await recordingProvider();
  const asked = vi.fn(() => true);
  const { send, warnings } = await agent({ turns: 2, profile: PROFILE, ask: asked }, provider);
  const newer = { "user-agent": "test-agent/2.0" };
  const answers = [await send(null, newer), await send("title", newer), await send("turn", newer)];
  expect(statuses(answers)).toEqual([200, 200, 402]);
  expect(asked).not.toHaveBeenCalled();
  expect(warnings).toEqual([
    "Requests of Test Agent 2.0 lack the header x-kind, so each counts as a turn, and at a limit nobody is asked. " +
      "Versions that have it: 1.0",
  ]);
});

test("a later request that does not say what it is is a turn, and the others stay what they are", async () => {
  const provider = await recordingProvider();
  const { send, warnings } = await agent({ turns: 2, profile: PROFILE }, provider);
  const answers = [await send("turn"), await send(null), await send("title"), await send("sub")];
  expect(statuses(answers)).toEqual([200, 200, 200, 402]);
  expect(warnings).toEqual([]);
});

test("a request that is made again while the first is held waits with it, and both are one turn", async () => {
  const provider = await recordingProvider();
  let reply!: (reply: Reply) => void;
  const question = new Promise<Reply>((resolve) => {
    reply = resolve;
  });
  const { send, close } = await agent({ turns: 1, profile: PROFILE, ask: () => question }, provider);
  await send("turn");
  const gone = new AbortController();
  const first = send("turn", {}, "held", gone.signal).catch((error) => error);
  const second = send("turn", {}, "held");
  const third = send("turn", {}, "held");
  gone.abort();
  await first;
  expect(provider.received).toHaveLength(1);
  reply(true);
  expect(statuses(await Promise.all([second, third]))).toEqual([200, 200]);
  expect(await close()).toMatchObject({ turns: 2, requests: 3 });
});

test.each<[Reply | undefined, number[], string]>([
  [true, [200, 200], "stopped"],
  [{ more: 1 }, [200, 200], "stopped"],
  [false, [200, 402], "declined"],
  ["unanswered", [200, 402], "stopped"],
])("a question that is answered %o", async (reply, after, kind) => {
  const provider = await recordingProvider();
  let asked = 0;
  const ask = () => {
    asked += 1;
    return asked === 1 ? reply : "unanswered";
  };
  const { send, close } = await agent({ turns: 1, profile: PROFILE, ask }, provider);
  await send("turn");
  const answers = await times(2, () => send("turn"));
  expect(statuses(answers)).toEqual(after);
  expect(provider.received).toHaveLength(reply === false || reply === "unanswered" ? 1 : 2);
  expect((await close()).outcome?.kind).toBe(kind);
});

test("nobody replies within the time that the agent waits", async () => {
  const provider = await recordingProvider();
  const ask = () => new Promise<Reply>(() => {});
  const { send, close } = await agent({ turns: 1, profile: PROFILE, hold: 50, ask }, provider);
  await send("turn");
  expect((await send("turn")).text).toContain("Turn limit reached (1/1).");
  expect(provider.received).toHaveLength(1);
  expect((await close()).outcome?.kind).toBe("stopped");
});

test("progress that is not found out in time is none, and the question has the rest of the time that the agent waits [NoProgress]", async () => {
  const provider = await recordingProvider();
  const never = () => new Promise<never>(() => {});
  const asked: number[] = [];
  const ask = () => {
    asked.push(provider.received.length);
    return new Promise<Reply>(() => {});
  };
  const onWarning = vi.fn();
  for (const progress of [never, { turnComes: never, find: never }]) {
    const turns = { max: 1, extend: 3 };
    const { send, close } = await agent(
      { turns, profile: PROFILE, hold: 2_000, ask, progress, onWarning },
      provider,
    );
    await send("turn");
    expect((await send("turn")).text).toContain("Turn limit reached (1/1).");
    expect((await close()).outcome?.kind).toBe("stopped");
  }
  expect([provider.received.length, asked]).toEqual([2, [1, 2]]);
  expect(onWarning.mock.calls.flat()).toContain(
    "progress took longer than 1s, and a request is not held for longer. It is taken for no progress.",
  );
});

test("the model is told to wrap up in each turn from then on, and the agent does not see it", async () => {
  const provider = await recordingProvider();
  const turns = { max: 4, grace: 2, wrapUp: { message: () => "Wrap up." } };
  const { send, close } = await agent({ turns, profile: PROFILE }, provider);
  await times(3, () => send("turn"));
  await send("title");
  await send("turn");
  const told = provider.received.map(({ body }) => JSON.stringify(body).includes("Wrap up."));
  expect(told).toEqual([false, false, true, false, true]);
  expect((await close()).outcome?.kind).toBe("wrapped-up");
});

test("a compaction is forwarded byte for byte, also when turns are told to wrap up and when they are used up", async () => {
  const provider = await recordingProvider();
  const turns = { max: 2, grace: 1, headless: "stop", wrapUp: { message: () => "Wrap up." } } as const;
  const { send, base } = await agent({ turns, profile: PROFILE }, provider);
  const body = '{ "model":"claude-sonnet-4-5",\n "messages": [{"content":"\\u0053um up.", "role":"user"}] }';
  const compact = () =>
    fetch(`${base}/v1/messages`, {
      method: "POST",
      headers: { "user-agent": "test-agent/1.0", "x-kind": "compaction" },
      body,
    });
  await times(2, () => send("turn"));
  expect((await compact()).status).toBe(200);
  expect(provider.received.at(1)?.text).toContain("Wrap up.");
  expect(provider.received.at(2)?.text).toBe(body);
  await send("turn");
  expect((await compact()).status).toBe(402);
  expect(provider.received).toHaveLength(3);
});

test("the last answer keeps the tools, and may call none; what comes after it is refused", async () => {
  const provider = await recordingProvider();
  const turns = { max: 1, headless: "synthesize" } as const;
  const { send, close } = await agent({ turns, synthesisMessage: "Answer now.", profile: PROFILE }, provider);
  await send("turn");
  expect((await send("title")).status).toBe(200);
  expect(await send("turn")).toEqual({ status: 200, text: "ok" });
  expect(provider.received.at(-1)?.body).toMatchObject({
    tools: [{ name: "x" }],
    tool_choice: { type: "none" },
  });
  expect(JSON.stringify(provider.received.at(-1)?.body)).toContain("Answer now.");
  expect((await send("title")).status).toBe(402);
  expect(await close()).toMatchObject({
    outcome: { kind: "salvaged", limit: "turns" },
    endedBy: { limit: "turns", used: 1, max: 1 },
  });
});

describe("the tool with which the agent answers", () => {
  const turns = { max: 1, headless: "synthesize" } as const;
  const call = (id: string, name: string) => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name, input: {} }],
  });
  const result = (id: string, more: object = {}) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: "done", ...more }],
  });
  const [worked, submitted] = [
    [call("1", "x"), result("1")],
    [call("2", "submit"), result("2")],
  ];

  /** Sends a request of the agent's loop with these messages after the prompt, and two tools. */
  async function conversation(options: GatewayOptions) {
    const provider = await recordingProvider();
    const { base, close } = await agent({ turns, profile: PROFILE, ...options }, provider);
    const turn = async (...after: object[]) => {
      const { status } = await fetch(`${base}/v1/messages`, {
        method: "POST",
        headers: { "user-agent": "test-agent/1.0", "x-kind": "turn", "content-type": "application/json" },
        body: JSON.stringify({
          model: "claude-sonnet-4-5",
          messages: [{ role: "user", content: "Go." }, ...after],
          tools: [{ name: "x" }, { name: "submit" }],
        }),
      });
      return status;
    };
    return { provider, turn, close };
  }

  test("is the one that the model is held to in the last turn, and its call salvages the run", async () => {
    const { provider, turn, close } = await conversation({ finalTool: "submit" });
    await turn();
    await turn(...worked);
    expect(provider.received.at(-1)?.body).toMatchObject({ tool_choice: { type: "tool", name: "submit" } });
    expect(provider.received.at(-1)?.text).toContain("the only tool that you have left");
    // The agent asks what comes next. It is told that this is the end, and nothing is sent.
    expect(await turn(...worked, ...submitted)).toBe(200);
    expect(await turn(...worked, ...submitted)).toBe(402);
    expect(provider.received).toHaveLength(2);
    expect(await close()).toMatchObject({ outcome: { kind: "salvaged", limit: "turns" } });
  });

  test.each([
    ["that failed", [call("2", "submit"), result("2", { is_error: true })]],
    ["of another tool", [call("2", "x"), result("2")]],
  ])("a call %s is no answer", async (_, made) => {
    const { provider, turn, close } = await conversation({ finalTool: "submit" });
    await turn();
    await turn(...worked);
    await turn(...worked, ...made);
    expect(provider.received).toHaveLength(2);
    expect(await close()).toMatchObject({ outcome: { kind: "stopped", limit: "turns" } });
  });

  test("an answer with the last turn that there is ends the run as completed", async () => {
    const { provider, turn, close } = await conversation({
      turns: { max: 2, onExhausted: "stop" },
      finalTool: "submit",
    });
    await turn();
    await turn(...worked);
    expect(await turn(...worked, ...submitted)).toBe(200);
    expect(provider.received).toHaveLength(2);
    expect(await close()).toMatchObject({ outcome: { kind: "completed" } });
  });

  test("of an earlier run is none of this one", async () => {
    const { turn, close } = await conversation({
      turns: { max: 1, onExhausted: "stop" },
      finalTool: "submit",
    });
    await turn(...submitted);
    await turn(...submitted, { role: "assistant", content: "Hm." }, { role: "user", content: "Go on." });
    expect(await close()).toMatchObject({ outcome: { kind: "stopped", limit: "turns" } });
  });

  test("that is not offered leaves the last turn without tools", async () => {
    const { provider, turn } = await conversation({ finalTool: "sumbit" });
    await turn();
    await turn(...worked);
    expect(provider.received.at(-1)?.body).toMatchObject({ tool_choice: { type: "none" } });
  });
});

test("nothing that a request says starts the limits over", async () => {
  const provider = await recordingProvider();
  const { base, close } = await agent({ turns: 2, profile: codex }, provider);
  const prompt = async (turn_id: string, turn_trigger: string) => {
    const about = { thread_id: "t", request_kind: "turn", thread_source: "user", turn_id, turn_trigger };
    const headers = {
      "user-agent": `codex_exec/${codex.tested[0]}`,
      "x-codex-turn-metadata": JSON.stringify(about),
    };
    const body = JSON.stringify({ model: "m", input: turn_id });
    return (await fetch(`${base}/v1/responses`, { method: "POST", headers, body })).status;
  };
  const answers = [
    await prompt("1", "exec"),
    await prompt("2", "exec"),
    await prompt("3", "exec"),
    await prompt("4", "user"),
    await prompt("5", "user"),
  ];
  // The third is the text that ends the loop.
  expect(answers).toEqual([200, 200, 200, 402, 402]);
  expect(provider.received).toHaveLength(2);
  expect(await close()).toMatchObject({ turns: 2 });
});

test.each([
  ["is no JSON", "{ this is no JSON", {}],
  ["is compressed in a way that is not known", "{}", { "content-encoding": "rot13" }],
  ["is not recognised", '{"messages":[]}', { "x-kind": "dream" }],
])("a request of the agent that %s is a turn, and forwarded as it is", async (_, body, more) => {
  const provider = await recordingProvider();
  const { base, close } = await agent({ turns: 2, profile: PROFILE }, provider);
  const headers = { "user-agent": "test-agent/1.0", "x-kind": "turn", ...more };
  const post = () => fetch(`${base}/v1/messages`, { method: "POST", headers, body });
  expect(statuses(await times(3, post))).toEqual([200, 200, 402]);
  expect(provider.received.map(({ text }) => text)).toEqual([body, body]);
  expect(await close()).toMatchObject({ turns: 2, outcome: { kind: "stopped" } });
});

test("a cut-off answer is counted as an estimate", async () => {
  const provider = await recordingProvider((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":40}}}\n\n',
    );
    response.write(
      'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"Hello world"}}\n\n',
      () => response.destroy(),
    );
  });
  const { base, close } = await agent({ tokens: 1_000 }, provider);
  const body = JSON.stringify({ model: "m", stream: true, messages: [] });
  const response = await fetch(`${base}/v1/messages`, { method: "POST", body });
  await expect(response.text()).rejects.toThrow();
  const summary = await close();
  expect(summary).toMatchObject({ isEstimate: true, usage: { input: 40 } });
  expect(summary.usage?.output).toBeGreaterThan(0);
});

test("when the time is up, what is under way is cut off, and the agent's retry gets the last word", async () => {
  const provider = await recordingProvider((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": waiting\n\n");
  });
  const { send, close } = await agent({ time: 300, profile: PROFILE }, provider);
  await expect(send("turn", {}, "same")).rejects.toThrow();
  expect((await send("turn", {}, "same")).text).toMatch(/^Time limit reached/);
  expect((await send("turn", {}, "same")).status).toBe(402);
  expect(provider.received).toHaveLength(1);
  expect((await close()).outcome).toMatchObject({ kind: "stopped", limit: "time" });
});

test("what cannot be read is forwarded as it is, and counted", async () => {
  const provider = await recordingProvider();
  const { base } = await agent({ requests: 2, profile: PROFILE }, provider);
  const post = (path: string, body: string) =>
    fetch(base + path, { method: "POST", headers: { "user-agent": "test-agent/1.0" }, body });
  expect((await post("/v1/messages", "{ this is no JSON")).status).toBe(200);
  expect((await fetch(`${base}/v1/models?limit=3`)).status).toBe(200);
  expect((await post("/v1/messages/count_tokens", "{}")).status).toBe(200);
  expect((await post("/v1/embeddings", "{}")).status).toBe(200);
  expect((await post("/v1/embeddings", "{}")).status).toBe(402);
  expect((await fetch(`${base}/v1/models`)).status).toBe(402);
  expect(provider.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /v1/messages",
    "GET /v1/models?limit=3",
    "POST /v1/messages/count_tokens",
    "POST /v1/embeddings",
  ]);
});

test("answers are asked for without compression, so that each is counted before the next request can come", async () => {
  const provider = await recordingProvider();
  const { send } = await agent({ requests: 5 }, provider);
  await send("turn", { "accept-encoding": "gzip, br" });
  expect(provider.received[0]?.headers["accept-encoding"]).toBe("identity");
});

test("a request that the gateway sends once more, because a kept connection was closed, counts again", async () => {
  const provider = await recordingProvider((request, response, number) =>
    number === 2 ? response.socket?.resetAndDestroy() : answerWith("ok")(request, response, number),
  );
  const { send, close } = await agent({ requests: 3 }, provider);
  expect(statuses([await send(), await send(), await send()])).toEqual([200, 200, 402]);
  expect(provider.received).toHaveLength(3);
  expect(await close()).toMatchObject({ requests: 3 });
});

test("nothing is reached without the secret path, or under another name", async () => {
  const provider = await recordingProvider();
  const { base } = await agent({ requests: 5 }, provider);
  const { origin, pathname } = new URL(base);
  const [, secret = ""] = pathname.split("/");
  expect(secret.length).toBeGreaterThanOrEqual(32);
  for (const path of [
    "/",
    "/v1/messages",
    `/${secret.slice(1)}/0/v1/messages`,
    `/${secret}/1/v1/messages`,
    `/${secret}`,
  ])
    expect((await fetch(origin + path, { method: "POST", body: "{}" })).status).toBe(404);
  const status = await new Promise((resolve) => {
    httpRequest(`${base}/v1/models`, { headers: { host: "evil.example" } }, (response) =>
      resolve(response.statusCode),
    ).end();
  });
  expect(status).toBe(403);
  expect(provider.received).toEqual([]);
});

test("a WebSocket is answered with 426", async () => {
  const provider = await recordingProvider();
  const { base } = await agent({ requests: 5 }, provider);
  const status = await new Promise((resolve) => {
    const headers = { connection: "upgrade", upgrade: "websocket", "sec-websocket-key": "x" };
    httpRequest(`${base}/v1/responses`, { headers }, (response) => resolve(response.statusCode)).end();
  });
  expect(status).toBe(426);
});

test("a gateway without a limit is refused", async () => {
  await expect(createGateway({ price })).rejects.toThrow("A gateway without a limit limits nothing.");
});
