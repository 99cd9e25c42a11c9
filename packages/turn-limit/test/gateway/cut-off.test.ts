import { expect, test } from "vitest";
import { agent, PROFILE } from "./an-agent.ts";
import { answerWith, recordingProvider } from "./recording-provider.ts";
import { deferred } from "./servers.ts";

test("a request that the agent gives up, before the answer begins, costs at least what it said", async () => {
  const arrived = deferred<void>();
  const provider = await recordingProvider(() => arrived.resolve());
  const { send, close } = await agent({ tokens: 100_000 }, provider);
  const gone = new AbortController();
  const answer = send("turn", {}, "x".repeat(4_000), gone.signal).catch(() => "gone");
  await arrived.promise;
  gone.abort();
  expect(await answer).toBe("gone");
  const { usage, isEstimate } = await close();
  expect(usage?.input).toBeGreaterThanOrEqual(1_000);
  expect(usage?.input).toBeLessThan(1_100);
  expect(isEstimate).toBe(true);
});

test("a provider that cannot be reached costs nothing", async () => {
  const { send, close } = await agent({ tokens: 100_000 }, { address: "http://127.0.0.1:9" });
  expect((await send()).status).toBe(502);
  expect(await close()).toMatchObject({
    usage: { input: 0, output: 0 },
    isEstimate: false,
    problem: "127.0.0.1:9 could not be reached: connect ECONNREFUSED 127.0.0.1:9",
  });
});

test("a provider that answers after all is no problem any more", async () => {
  const provider = await recordingProvider((request, response, number) => {
    if (number === 1) response.writeHead(307, { location: "http://127.0.0.1:9/" }).end();
    else answerWith("ok")(request, response, number);
  });
  const { send, close, gateway } = await agent({ tokens: 100_000 }, provider);
  expect((await send()).status).toBe(410);
  expect(gateway.run.summary.problem).toContain("redirects to http://127.0.0.1:9/");
  expect((await send()).status).toBe(200);
  expect((await close()).problem).toBeUndefined();
});

test("what an answer takes beyond a limit is in the summary, also where the run ends by itself", async () => {
  const provider = await recordingProvider();
  const { send, close } = await agent({ turns: 3, tokens: 8, cost: 5, profile: PROFILE }, provider);
  expect((await send()).status).toBe(200);
  expect(await close()).toMatchObject({
    outcome: { kind: "completed" },
    over: [{ limit: "tokens", used: 10, max: 8 }],
  });
});

test("a time limit that cuts off a request in the middle says how far it got", async () => {
  let now = 0;
  let timeIsUp = () => {};
  const clock = {
    now: () => now,
    after: (_ms: number, callback: () => void) => {
      timeIsUp = callback;
      return () => {};
    },
  };
  const provider = await recordingProvider(() => {
    now = 120;
    timeIsUp();
  });
  const { send, close } = await agent({ time: 100, clock, profile: PROFILE }, provider);
  await expect(send("turn")).rejects.toThrow();
  expect(await close()).toMatchObject({
    outcome: { kind: "stopped", limit: "time" },
    endedBy: { limit: "time", used: 120, max: 100 },
    isEstimate: true,
  });
});
