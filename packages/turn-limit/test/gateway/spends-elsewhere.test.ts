import { request } from "node:http";
import { expect, test } from "vitest";
import { agent } from "./an-agent.ts";
import { recordingProvider } from "./recording-provider.ts";

const post = async (address: string) => {
  const response = await fetch(address, { method: "POST", body: JSON.stringify({ requests: [{}, {}] }) });
  const { error } = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: error?.message ?? "" };
};

test.each([
  ["/v1/messages/batches", "batch"],
  ["/v1/messages/batches/?beta=true", "batch"],
  ["/v1/messages/%62atches", "batch"],
  ["/v1/batches", "batch"],
  ["/openai/v1/batches", "batch"],
  ["/v1/batch/jobs", "batch"],
  ["/v1beta/models/gemini-2.5-flash:batchGenerateContent", "batch"],
  ["/v1beta/models/gemini-embedding-001:asyncBatchEmbedContent", "batch"],
  ["/batch", "batch"],
  ["/batch/v1beta", "batch"],
  ["/v1/fine_tuning/jobs", "fine-tuning"],
  ["/v1beta/tunedModels", "fine-tuning"],
  ["/v1/realtime/client_secrets", "realtime"],
  ["/v1/realtime/sessions", "realtime"],
  ["/v1/realtime/calls", "realtime"],
  ["/v1/threads/runs", "assistant"],
  ["/v1/threads/thread_1/runs", "assistant"],
  ["/v1/evals/eval_1/runs", "eval"],
])("POST %s spends where no limit sees it, so it is refused, and that is said once", async (path, what) => {
  const provider = await recordingProvider();
  const { base, close, warnings } = await agent({ tokens: 1000, requests: 9 }, provider);
  const { status, message } = await post(base + path);
  expect(status).toBe(403);
  expect(message).toContain(what);
  expect(message).toContain("Send");
  await post(base + path);
  expect(provider.received).toEqual([]);
  expect(warnings).toEqual([message]);
  expect(await close()).toMatchObject({ requests: 0, problem: message });
});

test("a run that was refused a batch goes on, and the batch counts nothing", async () => {
  const provider = await recordingProvider();
  const { base, send, close } = await agent({ requests: 1 }, provider);
  expect((await post(`${base}/v1/messages/batches`)).status).toBe(403);
  expect((await send(null)).status).toBe(200);
  expect(await close()).toMatchObject({ requests: 1, endedBy: undefined });
});

test("files, and looking at or cancelling what runs already, pass", async () => {
  const provider = await recordingProvider();
  const { base } = await agent({ requests: 9 }, provider);
  await fetch(`${base}/v1/files`, { method: "POST", body: "x" });
  await fetch(`${base}/v1/messages/batches`);
  await fetch(`${base}/v1/messages/batches/b_1/results`);
  await fetch(`${base}/v1/batches/b_1/cancel`, { method: "POST" });
  await fetch(`${base}/v1/messages/batches/b_1`, { method: "DELETE" });
  expect(provider.received).toHaveLength(5);
});

test("a path with dots leads to a batch as well", async () => {
  const provider = await recordingProvider();
  const { base } = await agent({ requests: 9 }, provider);
  const { hostname, port, pathname } = new URL(base);
  for (const path of ["/v1/batches/.", "/v1/x/../batches", "/v1/./batches//", "/v1/x/%2e%2e/batches"]) {
    const status = await new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path: pathname + path, method: "POST" }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on("error", reject).end("{}");
    });
    expect([path, status]).toEqual([path, 403]);
  }
  expect(provider.received).toEqual([]);
});
