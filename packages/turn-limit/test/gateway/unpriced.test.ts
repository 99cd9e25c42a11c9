import { expect, test } from "vitest";
import { createPool } from "../../src/index.ts";
import { price } from "../../src/prices/index.ts";
import { agent, PROFILE, statuses } from "./an-agent.ts";
import { recordingProvider } from "./recording-provider.ts";

const SECRET_MODEL = { "x-model": "nobodys-model" };
const HOW = { howToRaise: "Raise --max-cost.", howToPrice: (model = "?") => `See --price ${model}.` };

test("a model without a price is not asked at all where that ends the run, and is named", async () => {
  const provider = await recordingProvider();
  const cost = { max: 5, unpriced: "stop" } as const;
  const { send, close } = await agent({ cost, price, profile: PROFILE, ...HOW }, provider);
  expect((await send("turn")).status).toBe(200);
  expect(await send("turn", SECRET_MODEL)).toEqual({
    status: 200,
    text: "The model nobodys-model has no price, so the cost limit cannot hold the run. The run was stopped here. See --price nobodys-model.",
  });
  expect(await send("title", SECRET_MODEL)).toEqual({
    status: 402,
    text: "The model nobodys-model has no price, so the cost limit cannot hold the run. No more requests are sent in this run. See --price nobodys-model.",
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

test("nothing is sent to a model without a price, unless a token limit holds the run", async () => {
  const provider = await recordingProvider();
  const { send, close } = await agent({ cost: 5, price, ...HOW }, provider);
  expect(await send("turn", SECRET_MODEL)).toEqual({
    status: 402,
    text: "The model nobodys-model has no price, so the cost limit cannot hold the run. No more requests are sent in this run. See --price nobodys-model.",
  });
  expect(provider.received).toHaveLength(0);
  expect(await close()).toMatchObject({ outcome: { kind: "stopped", limit: "cost" } });

  const unpriced = await agent({ cost: 5 }, provider);
  expect((await unpriced.send()).status).toBe(402);
  expect(provider.received).toHaveLength(0);

  // Each answer takes 10.
  const held = await agent({ cost: 5, tokens: 20, price: () => undefined, ...HOW }, provider);
  expect(statuses([await held.send(), await held.send(), await held.send()])).toEqual([200, 200, 402]);
  expect(held.warnings).toEqual([expect.stringContaining("claude-sonnet-4-5 has no price")]);
});

test("an answer under a name without a price costs what the requested model costs", async () => {
  const provider = await recordingProvider();
  const onlyAsked = (_: object, model?: { id: string }) => (model?.id === "nobodys-model" ? 2 : undefined);
  const { send, close } = await agent({ cost: 5, price: onlyAsked }, provider);
  expect((await send("turn", SECRET_MODEL)).status).toBe(200);
  expect(await close()).toMatchObject({ usage: { cost: 2 }, isUnpriced: false });
});

test("where it is only told, the warning names the model and what to do", async () => {
  // The answer comes from a model that has a price, and that one counts.
  const provider = await recordingProvider();
  const cost = { max: 5, unpriced: "warn" } as const;
  const priced = await agent({ cost, price, ...HOW }, provider);
  expect((await priced.send("turn", SECRET_MODEL)).status).toBe(200);
  expect(priced.warnings).toEqual([]);
  const { send, warnings } = await agent({ cost, price: () => undefined, ...HOW }, provider);
  expect(statuses([await send(), await send()])).toEqual([200, 200]);
  expect(warnings).toEqual([
    "The model claude-sonnet-4-5 has no price, so the cost limit cannot hold the run. See --price claude-sonnet-4-5.",
  ]);
});
