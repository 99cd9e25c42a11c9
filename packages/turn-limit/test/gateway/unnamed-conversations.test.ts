import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { openingOf } from "../../src/gateway/agents/body-parts.ts";
import type { Profile } from "../../src/gateway/agents/profile.ts";
import type { Json } from "../../src/gateway/protocols/protocol.ts";
import { agent, PROFILE, statuses } from "./an-agent.ts";
import { answerWith, recordingProvider } from "./recording-provider.ts";

/** An agent whose requests do not name their conversation. */
const UNNAMED: Profile = {
  ...PROFILE,
  recognise: ({ body }) => ({
    kind: "turn",
    conversation: openingOf(body),
    isByOpening: true,
    isSubAgent: false,
  }),
};

const fails = (response: ServerResponse) => void response.writeHead(529).end("{}");
const answers = answerWith("ok");

/** Answers, except those requests, counted from 1. */
function failingAt(...numbers: number[]) {
  return recordingProvider((request, response, number) =>
    numbers.includes(number) ? fails(response) : answers(request, response, number),
  );
}

test("a request that was not answered and is made again is the same turn, however often", async () => {
  const provider = await failingAt(1, 2, 4);
  const { send, close } = await agent({ turns: 2, profile: UNNAMED }, provider);
  const sent = [];
  for (const text of ["one", "one", "one", "two", "two", "three"]) sent.push(await send("turn", {}, text));
  expect(statuses(sent)).toEqual([529, 529, 200, 529, 200, 200]);
  expect(sent[5]?.text).toContain("Turn limit reached (2/2). The run was stopped here.");
  expect(provider.received).toHaveLength(5);
  expect(await close()).toMatchObject({ turns: 2, requests: 5 });
});

test("a request that was answered is another turn when it is made again: two conversations may begin alike", async () => {
  const provider = await recordingProvider();
  const { send, close } = await agent({ turns: 2, profile: UNNAMED }, provider);
  const sent = [];
  for (let time = 0; time < 3; time += 1) sent.push(await send("turn", {}, "Help me."));
  expect(sent[2]?.text).toContain("Turn limit reached (2/2).");
  expect(provider.received).toHaveLength(2);
  expect(await close()).toMatchObject({ turns: 2 });
});

test("of equal requests at once each is a turn, and as many as fail may be made again", async () => {
  const provider = await failingAt(1, 2);
  const { send, close } = await agent({ turns: 2, profile: UNNAMED }, provider);
  const first = await Promise.all([send("turn", {}, "Help me."), send("turn", {}, "Help me.")]);
  expect(statuses(first)).toEqual([529, 529]);
  const again = await Promise.all([send("turn", {}, "Help me."), send("turn", {}, "Help me.")]);
  expect(statuses(again)).toEqual([200, 200]);
  expect((await send("turn", {}, "Help me.")).text).toContain("Turn limit reached (2/2).");
  expect(provider.received).toHaveLength(4);
  expect(await close()).toMatchObject({ turns: 2, requests: 4 });
});

test("a request whose client disconnected may be made again", async () => {
  const provider = await recordingProvider((request, response, number) => {
    if (number > 1) answers(request, response, number);
  });
  const { send, close, gateway } = await agent({ turns: 1, profile: UNNAMED }, provider);
  const abort = new AbortController();
  const silent = send("turn", {}, "one", abort.signal).catch(() => "gone");
  await expect.poll(() => provider.received.length).toBe(1);
  abort.abort();
  expect(await silent).toBe("gone");
  // The gateway has seen that it is over: what was asked is estimated.
  await expect.poll(() => gateway.run.summary.usage?.input ?? 0).toBeGreaterThan(0);
  expect(statuses([await send("turn", {}, "one")])).toEqual([200]);
  expect(await close()).toMatchObject({ turns: 1, requests: 2 });
});

const called = (id: string): Json[] => [
  { role: "assistant", content: [{ type: "tool_use", id, name: "ls", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "a.ts" }] },
];

test("a call is seen once, also if another conversation that begins alike alternates with its own", async () => {
  const provider = await recordingProvider();
  const { base, close } = await agent({ repeats: 2, turns: 20, profile: UNNAMED }, provider);
  const says = (count: number) => Array<Json>(count).fill({ role: "user", content: "Go on." });
  for (let count = 0; count < 4; count += 1)
    for (const calls of [called("a"), called("b")])
      await fetch(`${base}/v1/messages`, {
        method: "POST",
        headers: { "user-agent": "test-agent/1.0", "x-kind": "turn", "content-type": "application/json" },
        body: JSON.stringify({
          model: "claude-sonnet-4-5",
          messages: [{ role: "user", content: "Help me." }, ...calls, ...says(count)],
          tools: [{ name: "x" }],
        }),
      });
  expect(provider.received).toHaveLength(8);
  expect(await close()).toMatchObject({ outcome: { kind: "completed" }, turns: 8 });
});
