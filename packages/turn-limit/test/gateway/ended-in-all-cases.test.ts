import { expect, test } from "vitest";
import { agent, PROFILE, statuses, times } from "./an-agent.ts";
import { answerWith, recordingProvider } from "./recording-provider.ts";

test.each<[string, () => number]>([
  ["NaN", () => Number.NaN],
  ["-1", () => -1],
  [
    "an error",
    () => {
      throw new Error("no list");
    },
  ],
])("a price that is %s is not known: that is told once, and tokens count", async (_, price) => {
  const provider = await recordingProvider();
  const { send, close, warnings } = await agent({ tokens: 20, cost: 5, price }, provider);
  expect(statuses(await times(3, () => send()))).toEqual([200, 200, 402]);
  expect(await close()).toMatchObject({
    outcome: { kind: "stopped", limit: "tokens", unpriced: true },
    usage: { input: 14, output: 6 },
  });
  expect(warnings.filter((warning) => warning.includes('"price" failed'))).toHaveLength(1);
});

test.each([600, 100_000])(
  "a request that is nested %d levels deep is a turn like any other",
  async (depth) => {
    const provider = await recordingProvider();
    const { base, close } = await agent({ turns: 2, profile: PROFILE }, provider);
    const headers = { "user-agent": "test-agent/1.0", "x-kind": "turn" };
    const bodies = [1, 2, 3].map(
      (number) => `{"model":"m${number}","messages":[],"deep":${"[".repeat(depth)}${"]".repeat(depth)}}`,
    );
    const texts: string[] = [];
    for (const body of bodies)
      texts.push(await (await fetch(`${base}/v1/messages`, { method: "POST", headers, body })).text());
    expect(texts[2]).toContain("Turn limit reached (2/2). The run was stopped here.");
    expect(provider.received.map(({ text }) => text)).toEqual(bodies.slice(0, 2));
    expect(await close()).toMatchObject({ turns: 2, requests: 2 });
  },
);

test("a request that is nested 100000 levels deep and made again is the same turn", async () => {
  const provider = await recordingProvider();
  const { base, close } = await agent({ turns: 1, profile: PROFILE }, provider);
  const headers = { "user-agent": "test-agent/1.0", "x-kind": "turn" };
  const body = `{"messages":[],"deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  for (let times = 0; times < 2; times += 1)
    await (await fetch(`${base}/v1/messages`, { method: "POST", headers, body })).text();
  expect(provider.received.map(({ text }) => text)).toEqual([body, body]);
  expect(await close()).toMatchObject({ turns: 1, requests: 2 });
});

test("a request that cannot be sent at all does not keep the gateway open", async () => {
  const env = { HTTP_PROXY: "http://%zz:x@127.0.0.1:9" };
  const { send, close } = await agent({ requests: 5, env }, { address: "http://provider.example" });
  expect(await send()).toMatchObject({ status: 502, text: expect.stringContaining("could not be reached") });
  expect(await close()).toMatchObject({ requests: 1 });
});

test("once an answer could not be counted, nothing more is sent", async () => {
  let isBroken = false;
  const clock = {
    now: () => {
      if (isBroken) throw new Error("no clock");
      return 0;
    },
    after: () => () => {},
  };
  const provider = await recordingProvider((...all) => {
    isBroken = true;
    answerWith("ok")(...all);
  });
  // With a limit of time, the clock is asked at each answer.
  const { send, close } = await agent({ requests: 5, time: 60_000, clock }, provider);
  expect((await send()).status).toBe(200);
  isBroken = false;
  expect(await send()).toMatchObject({ status: 402, text: expect.stringContaining("no clock") });
  expect(provider.received).toHaveLength(1);
  expect(await close()).toMatchObject({ requests: 1 });
});
