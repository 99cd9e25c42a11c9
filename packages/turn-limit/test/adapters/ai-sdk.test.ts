import { customProvider, generateText, jsonSchema, streamText, ToolLoopAgent, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { limitToolLoop } from "../../src/adapters/ai-sdk.ts";
import type { Scenario, SeenRequest } from "../contract/Host.ts";
import { ManualClock } from "../contract/ManualClock.ts";
import { orphansIn, scriptedModel, workTool } from "../hosts/ai-sdk.ts";

function agentSettings(model: Scenario["model"]) {
  const requests: SeenRequest[] = [];
  return { requests, model: scriptedModel(requests, model), tools: { work: workTool(() => "done") } };
}

describe("a request that stalls", () => {
  function stalling() {
    const clock = new ManualClock();
    const limits = limitToolLoop({ time: 5_000, clock });
    const stalls: Scenario["model"] = () => {
      void clock.hang(5_000);
      return { stalls: true };
    };
    return { clock, limits, ...agentSettings(stalls) };
  }

  test("is cut off for an agent too, and the call ends without an error", async () => {
    const { limits, clock: _, requests, ...settings } = stalling();
    const agent = new ToolLoopAgent(limits.govern({ ...settings, toolChoice: "required" }));

    const { finalStep, finishReason } = await agent.generate({ prompt: "go" });

    expect(requests).toHaveLength(1);
    expect(finishReason).toBe("interrupted");
    expect(limits.outcomeOf(finalStep)).toMatchObject({ kind: "stopped", limit: "time", time: 5_000 });
  });

  test("is cut off for a model that a step has by its name", async () => {
    const { limits, clock: _, requests, model, ...settings } = stalling();
    globalThis.AI_SDK_DEFAULT_PROVIDER = customProvider({ languageModels: { slow: model } });
    try {
      const call = {
        ...settings,
        model: new MockLanguageModelV4(),
        prepareStep: () => ({ model: "slow" }),
        prompt: "go",
      };
      const { finalStep } = await generateText(limits.govern(call));
      expect(requests).toHaveLength(1);
      expect(limits.outcomeOf(finalStep)).toMatchObject({ kind: "stopped", limit: "time" });
    } finally {
      globalThis.AI_SDK_DEFAULT_PROVIDER = undefined;
    }
  });

  test("in the middle of a stream leaves what was said by then, and no call without a result", async () => {
    const { clock, limits, requests: _, ...settings } = stalling();
    const model = new MockLanguageModelV4({
      doStream: async () => ({
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "text-start", id: "1" });
            controller.enqueue({ type: "text-delta", id: "1", delta: "So far" });
            controller.enqueue({ type: "tool-call", toolCallId: "c", toolName: "work", input: '{"id":"c"}' });
            void clock.hang(5_000);
          },
        }),
      }),
    });

    const errors: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => void errors.push(error);
    const result = streamText(limits.govern({ ...settings, model, prompt: "go", onError }));
    await result.consumeStream();

    expect(errors).toEqual([]);
    expect(await result.text).toBe("So far");
    expect(orphansIn(await result.responseMessages)).toBe(0);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time", steps: 0 });
  });
});

describe("a tool that streams its results", () => {
  const streaming = (results: AsyncIterable<string>) =>
    tool({ inputSchema: jsonSchema<{ id: string }>({ type: "object" }), execute: () => results });
  const halfThenWhole = {
    async *[Symbol.asyncIterator]() {
      yield* ["half", "whole"];
    },
  };

  test("has them passed on, and the last one is known for a repeat", async () => {
    const limits = limitToolLoop({ turns: 9, repeats: 2 });
    const { requests, ...settings } = agentSettings(() => ({ calls: 1, same: "again" }));
    const passedOn: unknown[] = [];
    const stream = streamText(
      limits.govern({ ...settings, tools: { work: streaming(halfThenWhole) }, prompt: "go" }),
    );
    for await (const part of stream.fullStream) if (part.type === "tool-result") passedOn.push(part.output);

    expect(passedOn.slice(0, 3)).toEqual(["half", "whole", "whole"]);
    expect(requests).toHaveLength(4);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "repeats", steps: 2 });
  });

  test("is cut off between them when the time is up", async () => {
    const clock = new ManualClock();
    const limits = limitToolLoop({ time: 5_000, clock });
    const { requests, ...settings } = agentSettings(() => ({ calls: 1 }));
    const hanging = {
      async *[Symbol.asyncIterator]() {
        yield "half";
        await clock.hang(5_000);
      },
    };

    const result = await generateText(
      limits.govern({ ...settings, tools: { work: streaming(hanging) }, prompt: "go" }),
    );

    expect(requests).toHaveLength(1);
    expect(orphansIn(result.responseMessages)).toBe(0);
    expect(limits.outcomeOf(result.finalStep)).toMatchObject({ kind: "stopped", limit: "time" });
  });
});

test("a call that fails in the same way again and again is a loop too", async () => {
  const limits = limitToolLoop({ turns: 9, repeats: 2 });
  const { requests, ...settings } = agentSettings(() => ({ calls: 1, same: "again" }));
  const tools = { work: workTool(() => Promise.reject(new Error("no such file"))) };

  await generateText(limits.govern({ ...settings, tools, prompt: "go" }));

  expect(requests).toHaveLength(4);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "repeats" });
});

test("a tool that is cut off is told by its signal", async () => {
  const clock = new ManualClock();
  const limits = limitToolLoop({ time: 5_000, clock });
  const { requests: _, ...settings } = agentSettings(() => ({ calls: 1 }));
  const told: unknown[] = [];
  const work = workTool((_, { abortSignal }) => {
    abortSignal?.addEventListener("abort", () => told.push(abortSignal.reason));
    return clock.hang(5_000);
  });

  await generateText(limits.govern({ ...settings, tools: { work }, prompt: "go" }));

  expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining("time limit") })]);
});
