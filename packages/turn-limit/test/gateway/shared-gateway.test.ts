import { expect, onTestFinished, test } from "vitest";
import { createSharedGateway } from "../../src/gateway/gateway.ts";
import { createPool } from "../../src/index.ts";
import { answerWith, recordingProvider } from "./recording-provider.ts";
import { deferred } from "./servers.ts";

test("a pool that was extended admits more while an answer is still coming, and that answer counts, too", async () => {
  const release = deferred<void>();
  const provider = await recordingProvider(async (...all) => {
    if (all[2] === 1) {
      all[1].writeHead(200, { "content-type": "application/json" });
      all[1].flushHeaders();
      await release.promise;
      all[1].end('{"type":"message","usage":{"input_tokens":500,"output_tokens":0}}');
    } else answerWith("ok")(...all);
  });
  const pool = createPool({ id: "team", tokens: { max: 10, onExhausted: "stop" } });
  const gateway = await createSharedGateway({ whoseOf: () => "team", limitsOf: () => ({ pool }) });
  onTestFinished(() => gateway.close());
  const base = gateway.addresses.to(provider.address);
  const post = () => fetch(`${base}/v1/messages`, { method: "POST", body: '{"model":"m","messages":[]}' });
  const slow = await post();
  const statuses: number[] = [];
  for (let at = 0; at < 2; at += 1) statuses.push((await post()).status);
  expect(statuses).toEqual([200, 402]);
  await pool.extend("tokens", 1_000);
  expect((await post()).status).toBe(200);
  release.resolve();
  await slow.text();
  await gateway.close();
  expect((await pool.read()).limits).toEqual([expect.objectContaining({ used: 520 })]);
});
