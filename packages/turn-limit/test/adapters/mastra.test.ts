import { Mastra } from "@mastra/core";
import { Agent, type MastraLanguageModel } from "@mastra/core/agent";
import { ModelRouterLanguageModel } from "@mastra/core/llm";
import { noopLogger } from "@mastra/core/logger";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { boundedModel } from "../../src/adapters/mastra/models.ts";
import { ToolPhase } from "../../src/adapters/mastra/tool-phase.ts";
import { limitAgent, type RunOptions } from "../../src/adapters/mastra.ts";
import { Driver } from "../../src/driver/driver.ts";
import { isLimitExceeded } from "../../src/errors/limit-exceeded.ts";
import type { OnExhausted } from "../../src/limits/policy.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { Scenario, SeenRequest } from "../../src/testing/scripted-host.ts";
import { answerTo, runWithGenerate, runWithStream, scriptedAgent, scriptedModel } from "../hosts/mastra.ts";

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

test("a question is withdrawn when the run is aborted", async () => {
  const { model } = scripted(() => ({ calls: 1 }));
  const agent = scriptedAgent({ model, execute: () => {} });
  const abort = new AbortController();
  let withdrawn: AbortSignal | undefined;
  const limits = limitAgent({
    turns: 1,
    ask(_question, signal) {
      withdrawn = signal;
      abort.abort();
      return new Promise(() => {});
    },
  });

  await runWithGenerate(agent, [], limits.options({ abortSignal: abort.signal }));

  expect(withdrawn?.aborted).toBe(true);
  expect(limits.outcome).toMatchObject({ kind: "aborted" });
});

test("a request that the host makes again by itself is not one too many", async () => {
  const { requests, model } = scripted(({ index }) => (index < 2 ? { fails: true } : { text: "done" }));
  const agent = scriptedAgent({ model, execute: () => {}, errorProcessors: [], maxRetries: 1 });
  const limits = limitAgent({ turns: 1 });

  const { text } = await runWithGenerate(agent, [], limits.options());

  expect(text).toBe("done");
  expect(requests).toHaveLength(2);
  expect(limits.outcome).toMatchObject({ kind: "completed", turns: 1 });
});

describe("a request that stalls", () => {
  function stalling(onExhausted: OnExhausted = "stop") {
    const clock = new ManualClock();
    const limits = limitAgent({ time: { max: 5_000, onExhausted }, clock });
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

    const { error, finishReason } = await runWithGenerate(agent, [], limits.options({ prepareStep }));

    expect(error).toBeUndefined();
    expect(finishReason).toBe("length");
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  });

  /** A model whose answer stops coming in the middle. */
  const halting = (clock: ManualClock) =>
    new MockLanguageModelV4({
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

  test("in the middle of a stream leaves what was said by then", async () => {
    const { clock, limits } = stalling();
    const agent = scriptedAgent({ model: halting(clock), execute: () => {} });

    const result = await runWithStream(agent, [], limits.options());

    expect(result).toMatchObject({ text: "So far", error: undefined, finishReason: "length" });
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  });

  test.each([
    ["generate() rejects", runWithGenerate],
    ["a stream ends", runWithStream],
  ])("%s with the error of a time limit that raises, and nothing is retried", async (_, run) => {
    const { limits, model } = stalling("raise");
    const agent = scriptedAgent({ model, execute: () => {}, errorProcessors: [], maxRetries: 5 });

    const { error } = await run(agent, [], limits.options());

    expect(isLimitExceeded(error)).toBe(true);
    expect(error).toMatchObject({ limit: "time", max: 5_000 });
    expect(model.doGenerateCalls.length + model.doStreamCalls.length).toBe(1);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  });

  test("in the middle of a stream ends it with the error of a time limit that raises", async () => {
    const { clock, limits } = stalling("raise");
    const agent = scriptedAgent({ model: halting(clock), execute: () => {} });

    const { error } = await runWithStream(agent, [], limits.options());

    expect(error).toMatchObject({ name: "LimitExceeded", limit: "time" });
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  });
});

test("a turn limit that raises does so at once, however often the agent retries", async () => {
  const { requests, model } = scripted(() => ({ calls: 1 }));
  const agent = scriptedAgent({ model, execute: () => {}, errorProcessors: [], maxRetries: 5 });
  const limits = limitAgent({ turns: { max: 2, onExhausted: "raise" } });

  const { error } = await runWithGenerate(agent, [], limits.options());

  expect(error).toMatchObject({ name: "LimitExceeded", limit: "turns", used: 2, max: 2 });
  expect(requests).toHaveLength(2);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "turns" });
});

test("input is counted once, whether or not the provider counts the cache as input", async () => {
  const usage = async (inputTokens: number) => {
    const model = new MockLanguageModelV4({
      doGenerate: async () => ({
        content: [{ type: "text", text: "done" }],
        finishReason: { unified: "stop", raw: undefined },
        usage: {
          inputTokens: { total: inputTokens, noCache: undefined, cacheRead: 80, cacheWrite: 0 },
          outputTokens: { total: 20, text: 20, reasoning: 0 },
        },
        warnings: [],
      }),
    });
    const limits = limitAgent({});
    await runWithGenerate(scriptedAgent({ model, execute: () => {} }), [], limits.options());
    return limits.outcome?.usage;
  };

  expect(await usage(100)).toEqual({ input: 20, output: 20, cacheRead: 80, cacheWrite: 0 });
  expect(await usage(30)).toEqual({ input: 30, output: 20, cacheRead: 80, cacheWrite: 0 });
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

  await runWithGenerate(agent, [], limits.options());

  expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining("time limit") })]);
});

test("a call that fails in the same way again and again is a loop too", async () => {
  const { requests, model } = scripted(() => ({ calls: 1, same: "again" }));
  const agent = scriptedAgent({ model, execute: () => Promise.reject(new Error("no such file")) });
  const limits = limitAgent({ turns: 9, repeats: 2 });

  await runWithGenerate(agent, [], limits.options());

  expect(requests).toHaveLength(4);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "repeats", steps: 2 });
});

test("a bounded model is still one of the host's own kind", () => {
  const driver = new Driver({});
  const model = boundedModel(new ModelRouterLanguageModel("openai/gpt-5"), driver, new ToolPhase(driver));

  expect(model).toBeInstanceOf(ModelRouterLanguageModel);
  expect((model as ModelRouterLanguageModel)._getStreamTransport()).toBeUndefined();
});
