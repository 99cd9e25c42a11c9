import { expect, test } from "vitest";
import { Cancellation } from "../../src/gateway/forward/cancellation.ts";
import { createGateway, type GatewayOptions } from "../../src/gateway/gateway.ts";
import { messages } from "../../src/gateway/protocols/messages.ts";
import { GatewayRun } from "../../src/gateway/requests/gateway-run.ts";
import type { CountedRequest } from "../../src/gateway/requests/verdict.ts";
import { DEFAULT_WRAP_UP_MESSAGE } from "../../src/index.ts";
import { agent, PROFILE } from "./an-agent.ts";
import { recordingProvider } from "./recording-provider.ts";

type Block = { type: string; text?: string };
type Message = { role: string; content: unknown };

const LINE = "For information: ";

/** Sends the requests of an agent that makes a call in each turn: what came to the provider. */
async function sent(
  options: GatewayOptions,
  turns: number,
  { kind = "turn", tools = [{ name: "x" }], more = [] as Message[] } = {},
) {
  const provider = await recordingProvider();
  const { base, close } = await agent({ profile: PROFILE, ...options }, provider);
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "Go." }] }];
  for (let turn = 0; turn < turns; turn += 1) {
    await fetch(`${base}/v1/messages`, {
      method: "POST",
      headers: { "user-agent": "test-agent/1.0", "x-kind": kind, "content-type": "application/json" },
      body: JSON.stringify({ model: "claude-sonnet-4-5", tools, messages: [...messages, ...more] }),
    });
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id: `t${turn}`, name: "x", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `t${turn}`, content: "done" }] },
    );
  }
  await close();
  return provider.received.map(({ body }) => body as unknown as { messages: Message[] });
}

/** The last text of a request, if it is ours. */
function toldIn({ messages }: { messages: Message[] }): string {
  const { content } = messages.at(-1) as Message;
  const last = (Array.isArray(content) ? (content as Block[]).at(-1)?.text : content) ?? "";
  return String(last).startsWith(LINE) ? String(last) : "-";
}

test("behind the gateway a request ends with what the model has left, and no other has it", async () => {
  const requests = await sent({ turns: 4, tell: [50, 75] }, 4);
  expect(requests.map(toldIn)).toEqual([
    "-",
    `${LINE}turn limit 2/4 used, 2 left, then the run is stopped.`,
    `${LINE}turn limit 3/4 used, 1 left, then the run is stopped.`,
    "-",
  ]);
});

test("the bytes of successive requests are the same up to the line, which is the last thing in them", async () => {
  const informed = (await sent({ turns: 4, tell: "every turn" }, 4)).map((request) =>
    JSON.stringify(request),
  );
  const untold = (await sent({ turns: 4 }, 4)).map((request) => JSON.stringify(request));
  expect(informed).toHaveLength(4);
  for (const [n, bytes] of informed.entries()) {
    const line = bytes.lastIndexOf(`,{"type":"text","text":"${LINE}`);
    const [before, after] = [bytes.slice(0, line), bytes.slice(line)];
    expect(untold[n]).toBe(before + after.replace(/^.*\."\}/, ""));
    expect(informed[n + 1] ?? before).toContain(before);
    expect((informed[n + 1] ?? before).startsWith(before)).toBe(true);
  }
});

test("it comes after what the program adds for itself at the end", async () => {
  const more = [
    { role: "system", content: [{ type: "text", text: "USD budget", cache_control: { type: "ephemeral" } }] },
  ];
  const [request] = await sent({ turns: 2, tell: "every turn" }, 1, { more });
  expect(toldIn(request as { messages: Message[] })).toBe(
    `${LINE}turn limit 1/2 used, 1 left, then the run is stopped.`,
  );
});

test("after the wrap-up, in one text", async () => {
  const requests = await sent({ turns: { max: 4, grace: 2 }, tell: [75] }, 3);
  const last = requests[2]?.messages.at(-1)?.content as Block[] | undefined;
  expect(last?.at(-1)?.text).toMatch(
    new RegExp(`^${DEFAULT_WRAP_UP_MESSAGE}\n\n${LINE}turn limit 3/4`.replace(/[.:]/g, ".")),
  );
});

test("a request besides the turns of an agent is told nothing", async () => {
  const requests = await sent({ requests: 4, tell: "every turn" }, 2, { kind: "title" });
  expect(requests.map(toldIn)).toEqual(["-", "-"]);
});

test("without a profile, requests that offer tools are told of requests, and others are not", async () => {
  const options = { requests: 4, tell: [50], profile: undefined };
  expect((await sent(options, 3)).map(toldIn)).toEqual([
    "-",
    `${LINE}request limit 2/4 used, 2 left, then the run is stopped.`,
    "-",
  ]);
  expect((await sent({ ...options, tell: "every turn" }, 2, { tools: [] })).map(toldIn)).toEqual(["-", "-"]);
});

test("a bad setting is refused", async () => {
  await expect(createGateway({ requests: 1, tell: [0] })).rejects.toThrow("above 0, up to 100");
});

test.each([
  [false, 0],
  [true, 1],
])("a request is read for what its model is told, and for nothing else: tell: %s", async (tell, reads) => {
  const run = new GatewayRun({ requests: 5, tell });
  let read = 0;
  const request: CountedRequest = {
    headers: {},
    protocol: messages,
    asked: undefined,
    bytes: undefined,
    ownCalls: [],
    get body() {
      read += 1;
      return {};
    },
    upstream: "http://127.0.0.1",
    provider: undefined,
  };
  const verdict = await run.decide(request, new Cancellation());
  expect(verdict.kind).toBe("forward");
  expect(Math.min(1, read)).toBe(reads);
});
