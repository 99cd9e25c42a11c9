import { expect, test } from "vitest";
import { limitLoop } from "../adapters/loop/index.ts";
import { price } from "./index.ts";

const million = { input: 1_000_000, output: 0 };

test.each([
  [{ id: "claude-sonnet-4-5" }],
  [{ id: "claude-sonnet-4-5-20250929", provider: "anthropic" }],
  [{ id: "gpt-5", provider: "openai.responses" }],
  [{ id: "gpt-5", provider: "azure.responses" }],
  [{ id: "gemini-2.5-pro", provider: "google.generative-ai" }],
  [{ id: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", provider: "amazon-bedrock" }],
  [{ id: "anthropic/claude-sonnet-4.5", provider: "openrouter" }],
  [{ id: "openai/gpt-5" }],
  [{ id: "openai/gpt-5", provider: "gateway" }],
  [{ id: "anthropic/claude-sonnet-4.5", provider: "openai.chat" }],
  [{ id: "openrouter/google/gemini-2.5-pro", provider: "litellm" }],
])("%o has a price", (model) => {
  expect(price(million, model)).toBeGreaterThan(0);
});

test("a model without output has a price for its input alone", () => {
  const model = { id: "text-embedding-3-small", provider: "openai" };
  expect(price(million, model)).toBeGreaterThan(0);
  expect(price({ input: 1, output: 1 }, model)).toBeUndefined();
});

test("input, output, and what is read from or written to the cache have prices of their own", () => {
  const model = { id: "claude-sonnet-4-5", provider: "anthropic" };
  const of = (usage: object) => price({ input: 0, output: 0, ...usage }, model) ?? Number.NaN;
  const input = of({ input: 1_000 });
  expect(of({ output: 1_000 })).toBeGreaterThan(input);
  expect(of({ cacheRead: 1_000 })).toBeLessThan(input);
  expect(of({ cacheWrite: 1_000 })).toBeGreaterThan(input);
  expect(of({ input: 1_000, output: 1_000, cacheRead: 1_000, cacheWrite: 1_000 })).toBeCloseTo(
    input + of({ output: 1_000 }) + of({ cacheRead: 1_000 }) + of({ cacheWrite: 1_000 }),
  );
});

test.each([
  undefined,
  { id: "" },
  {} as { id: string },
  { id: "my-finetune" },
  { id: "llama3.2", provider: "ollama" },
  { id: "claude-sonnet-4-5", provider: "my-proxy" },
  { id: "me/my-finetune", provider: "gateway" },
  { id: "/gpt-5" },
])("%o has none", (model) => {
  expect(price(million, model)).toBeUndefined();
});

test("what a gateway lists goes before what the vendor in a model's name lists", () => {
  const at = (provider: string) => price(million, { id: "deepseek/deepseek-chat", provider });
  const vendors = price(million, { id: "deepseek-chat", provider: "deepseek" });
  expect(at("my-gateway")).toBe(vendors);
  expect(at("openrouter")).toBeGreaterThan(0);
  expect(at("openrouter")).not.toBe(vendors);
});

test("a cost limit holds a run of a known model, and one of an unknown model is unpriced", async () => {
  for (const [id, outcome] of [
    ["claude-sonnet-4-5", { kind: "stopped", limit: "cost", turns: 1 }],
    ["my-finetune", { kind: "completed", turns: 2, unpriced: true }],
  ] as const) {
    const limits = limitLoop({ cost: 1, price, onWarning: () => {} });
    limits.begin();
    for (let turn = 1; turn <= 2 && (await limits.nextTurn()); turn += 1)
      limits.turnEnded({ usage: million }, { id, provider: id === "my-finetune" ? undefined : "anthropic" });
    expect(limits.end()).toMatchObject(outcome);
  }
});
