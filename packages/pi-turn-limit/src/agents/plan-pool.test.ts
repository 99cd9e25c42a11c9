import { memoryStore } from "turn-limit";
import { expect, test } from "vitest";
import { planPools, windowsBeside } from "./plan-pool.ts";

const own = { onExhausted: "stop", headless: "stop" } as const;

test("of two limits of a window the lower one holds, and of equals the session's own", () => {
  const handed = [
    { window: "5h", max: 80 },
    { window: "7d", max: 50, waits: true },
  ];
  const drawn = (plan: Parameters<typeof windowsBeside>[1]) =>
    windowsBeside(handed, plan).map(({ window, max, policies }) => [window, max, policies]);
  expect(drawn({})).toEqual([
    ["5h", 80, { onExhausted: "ask", headless: "synthesize" }],
    ["7d", 50, { onExhausted: "wait", headless: "synthesize" }],
  ]);
  expect(drawn({ "5h": { max: 80, ...own }, "7d": { max: 60, ...own } })).toMatchObject([
    ["5h", 80, own],
    ["7d", 50, { onExhausted: "wait" }],
  ]);
  expect(drawn({ "5h": { max: "unlimited", ...own }, "1d": { max: 5, ...own } })).toMatchObject([
    ["1d", 5, own],
    ["5h", 80, {}],
    ["7d", 50, {}],
  ]);
});

test("the pool is that of turn-limit run, and of the subscription of the model in use", () => {
  const windows = windowsBeside([], { "5h": { max: 80, ...own } });
  const made = (provider: string | undefined) => planPools(windows, provider, memoryStore())[0]?.definition;
  expect(made("openai-codex")?.id).toBe("subscriptions");
  const of = (provider: string | undefined) => made(provider)?.options.subscription;
  expect(["anthropic", "openai-codex", "local", undefined].map(of)).toEqual([
    "anthropic",
    "openai",
    undefined,
    undefined,
  ]);
  expect(planPools([], "anthropic", memoryStore())).toEqual([]);
});
