import { expect, test } from "vitest";
import { createPool } from "../../src/index.ts";
import { price } from "../../src/prices/index.ts";
import { agent, PROFILE, statuses } from "./an-agent.ts";
import { recordingProvider } from "./recording-provider.ts";

const SECRET_MODEL = { "x-model": "nobodys-model" };
const HOW = { howToRaise: "Raise --max-cost.", howToPrice: "See --unpriced." };

test("a model without a price is not asked at all where that ends the run, and is named", async () => {
  const provider = await recordingProvider();
  const cost = { max: 5, unpriced: "stop" } as const;
  const { send, close } = await agent({ cost, price, profile: PROFILE, ...HOW }, provider);
  expect((await send("turn")).status).toBe(200);
  expect(await send("turn", SECRET_MODEL)).toEqual({
    status: 200,
    text: "The model nobodys-model has no price, so the cost limit cannot hold the run. The run was stopped here. See --unpriced.",
  });
  expect(await send("title", SECRET_MODEL)).toEqual({
    status: 402,
    text: "The model nobodys-model has no price, so the cost limit cannot hold the run. No more requests are sent in this run. See --unpriced.",
  });
  expect(provider.received).toHaveLength(1);
  expect(await close()).toMatchObject({ outcome: { kind: "stopped", limit: "cost" }, requests: 1 });
});

test("the same holds for a pool, and for tokens to hold it where there is no token limit", async () => {
  const provider = await recordingProvider();
  const pool = createPool({ id: "unpriced", cost: { max: 5, unpriced: "tokens" } });
  const pooled = await agent({ pool, price }, provider);
  expect((await pooled.send("turn", SECRET_MODEL)).status).toBe(402);
  expect(provider.received).toHaveLength(0);
  const held = await agent({ cost: { max: 5, unpriced: "tokens" }, tokens: 100, price }, provider);
  expect((await held.send("turn", SECRET_MODEL)).status).toBe(200);
});

test("where it is only told, the warning names the model and what to do", async () => {
  // The answer comes from a model that has a price, and that one counts.
  const provider = await recordingProvider();
  const priced = await agent({ cost: 5, price, ...HOW }, provider);
  expect((await priced.send("turn", SECRET_MODEL)).status).toBe(200);
  expect(priced.warnings).toEqual([]);
  const { send, warnings } = await agent({ cost: 5, price: () => undefined, ...HOW }, provider);
  expect(statuses([await send(), await send()])).toEqual([200, 200]);
  expect(warnings).toEqual([
    "The model claude-sonnet-4-5 has no price, so the cost limit cannot hold the run. See --unpriced.",
  ]);
});
