import { Mastra } from "@mastra/core";
import { Agent, type MastraLanguageModel } from "@mastra/core/agent";
import { ModelRouterLanguageModel } from "@mastra/core/llm";
import { noopLogger } from "@mastra/core/logger";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { bounded } from "../../src/adapters/mastra/bounded.ts";
import { ToolPhase } from "../../src/adapters/mastra/ToolPhase.ts";
import { limitAgent, type RunOptions } from "../../src/adapters/mastra.ts";
import { GovernedRuns } from "../../src/adapters/shared/GovernedRuns.ts";
import type { Scenario, SeenRequest } from "../contract/Host.ts";
import { ManualClock } from "../contract/ManualClock.ts";
import { answerTo, generated, scriptedAgent, scriptedModel, streamed } from "../hosts/mastra.ts";

const HOUR = 3_600_000;

function scripted(script: Scenario["model"]) {
  const requests: SeenRequest[] = [];
  return { requests, model: scriptedModel((options) => answerTo(options, requests, script)) };
}

const callsOnce: Scenario["model"] = ({ index }) => (index === 1 ? { calls: 1 } : { text: "done" });

describe("a person who is waited for", () => {
  const inputSchema = z.object({ id: z.string() });
  const approved = createTool({
    id: "work",
    description: "Works once a person has said yes",
    inputSchema,
    requireApproval: true,
    execute: async () => "done",
  });
  const asking = createTool({
    id: "work",
    description: "Asks a person",
    inputSchema,
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ approved: z.boolean() }),
    execute: async (_, { agent }) => {
      if (!agent?.resumeData) return agent?.suspend?.({ question: "May I?" });
      return "done";
    },
  });

  test.each([
    ["to approve a tool call", approved],
    ["by a tool", asking],
  ])("%s takes no time", async (_, work) => {
    const clock = new ManualClock();
    const { model } = scripted((request) => {
      clock.pass(1_000);
      return callsOnce(request);
    });
    const agent = new Agent({
      id: "worker",
      name: "worker",
      instructions: "You work.",
      model: model as unknown as MastraLanguageModel,
      tools: { work },
    });
    new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
    const limits = limitAgent({ time: 5_000, clock });
    const options = limits.options();

    const stream = await agent.stream("go", options);
    await stream.consumeStream();
    clock.pass(HOUR);
    const resumed = await agent.resumeStream({ approved: true }, { ...options, runId: stream.runId });
    await resumed.consumeStream();

    expect(limits.outcome).toMatchObject({ kind: "completed", turns: 2, time: 2_000 });
  });
});

test("a request that the host makes again by itself is not one too many", async () => {
  const { requests, model } = scripted(({ index }) => (index < 2 ? { fails: true } : { text: "done" }));
  const agent = scriptedAgent({ model, execute: () => {}, errorProcessors: [], maxRetries: 1 });
  const limits = limitAgent({ turns: 1 });

  const { text } = await generated(agent, [], limits.options());

  expect(text).toBe("done");
  expect(requests).toHaveLength(2);
  expect(limits.outcome).toMatchObject({ kind: "completed", turns: 1 });
});

describe("a request that stalls", () => {
  function stalling() {
    const clock = new ManualClock();
    const limits = limitAgent({ time: 5_000, clock });
    const { model } = scripted(() => {
      void clock.hang(5_000);
      return { stalls: true };
    });
    return { clock, limits, model };
  }

  test("is cut off for a model that a step has instead of the agent's, and the run ends without an error", async () => {
    const { limits, model } = stalling();
    const agent = scriptedAgent({ model: new MockLanguageModelV4(), execute: () => {} });
    const prepareStep = (() => ({ model })) as unknown as NonNullable<RunOptions["prepareStep"]>;

    const { error, finishReason } = await generated(agent, [], limits.options({ prepareStep }));

    expect(error).toBeUndefined();
    expect(finishReason).toBe("length");
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  });

  test("in the middle of a stream leaves what was said by then", async () => {
    const { clock, limits } = stalling();
    const model = new MockLanguageModelV4({
      doStream: async () => ({
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "text-start", id: "1" });
            controller.enqueue({ type: "text-delta", id: "1", delta: "So far" });
            void clock.hang(5_000);
          },
        }),
      }),
    });

    const ran = await streamed(scriptedAgent({ model, execute: () => {} }), [], limits.options());

    expect(ran).toMatchObject({ text: "So far", error: undefined, finishReason: "length" });
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  });
});

test("a tool that is cut off is told by its signal", async () => {
  const clock = new ManualClock();
  const limits = limitAgent({ time: 5_000, clock });
  const told: unknown[] = [];
  const work = createTool({
    id: "work",
    description: "Hangs",
    inputSchema: z.object({ id: z.string() }),
    execute: async (_, { abortSignal }) => {
      abortSignal?.addEventListener("abort", () => told.push(abortSignal.reason));
      await clock.hang(5_000);
    },
  });
  const { model } = scripted(() => ({ calls: 1 }));
  const agent = new Agent({
    id: "worker",
    name: "worker",
    instructions: "You work.",
    model: model as unknown as MastraLanguageModel,
    tools: { work },
  });
  agent.__setLogger(noopLogger);

  await generated(agent, [], limits.options());

  expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining("time limit") })]);
});

test("a call that fails in the same way again and again is a loop too", async () => {
  const { requests, model } = scripted(() => ({ calls: 1, same: "again" }));
  const agent = scriptedAgent({ model, execute: () => Promise.reject(new Error("no such file")) });
  const limits = limitAgent({ turns: 9, repeats: 2 });

  await generated(agent, [], limits.options());

  expect(requests).toHaveLength(4);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "repeats", steps: 2 });
});

test("a bounded model is still one of the host's own kind", () => {
  const runs = new GovernedRuns({});
  const model = bounded(new ModelRouterLanguageModel("openai/gpt-5"), runs, new ToolPhase(runs));

  expect(model).toBeInstanceOf(ModelRouterLanguageModel);
  expect((model as ModelRouterLanguageModel)._getStreamTransport()).toBeUndefined();
});
