import { customProvider, generateText, jsonSchema, streamText, ToolLoopAgent, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { limitToolLoop } from "../../src/adapters/ai-sdk/index.ts";
import { isInvalidLimit } from "../../src/core/errors/invalid-limit.ts";
import { isStepLimitExceeded } from "../../src/core/errors/limit-exceeded.ts";
import { createPool } from "../../src/pools/pool.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { Scenario, SeenRequest } from "../../src/testing/scripted-host.ts";
import { orphansIn, scriptedModel, workTool } from "../hosts/ai-sdk.ts";

function agentSettings(model: Scenario["model"]) {
  const requests: SeenRequest[] = [];
  return { requests, model: scriptedModel(requests, model), tools: { work: workTool(() => "done") } };
}

test.each([[null], [[]]])("options that are not an object are refused: %j", (options) => {
  expect(() => limitToolLoop(options as never)).toThrow(/^options must be an object with limits, not /);
});

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

    const result = await agent.generate({ prompt: "go" });

    expect(requests).toHaveLength(1);
    expect(result.finishReason).toBe("interrupted");
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "time", time: 5_000 });
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
      const result = await generateText(limits.govern(call));
      expect(requests).toHaveLength(1);
      expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "time" });
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

  test.each([
    ["alone", {}],
    ["under two limiters", { turns: 9 }],
  ])("has them passed on one by one while a pool limits calls, %s", async (_, outer) => {
    const pool = createPool({ id: crypto.randomUUID(), steps: 5 });
    const limits = limitToolLoop({ pool });
    const { requests: _requests, ...settings } = agentSettings(({ index }) =>
      index > 1 ? { text: "done" } : { calls: 2 },
    );
    const seen: string[] = [];
    const work = tool({
      inputSchema: jsonSchema<{ id: string }>({ type: "object" }),
      async *execute({ id }) {
        yield `half of ${id}`;
        yield `all of ${id}`;
      },
    });

    const call = limits.govern({ ...settings, tools: { work }, prompt: "go" });
    const stream = streamText(limitToolLoop(outer).govern(call));
    for await (const part of stream.fullStream)
      if (part.type === "tool-result") seen.push(`${part.output}${part.preliminary ? "…" : ""}`);

    const first = ["half of r1c1…", "all of r1c1…", "all of r1c1"];
    expect(seen.filter((result) => result.includes("r1c1"))).toEqual(first);
    expect(seen).toHaveLength(6);
    expect((await pool.read()).limits).toMatchObject([{ limit: "steps", used: 2 }]);
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
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "time" });
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

describe("a time limit that raises", () => {
  function raising(model: Scenario["model"]) {
    const clock = new ManualClock();
    const limits = limitToolLoop({ time: { max: 5_000, onExhausted: "raise" }, clock });
    return { clock, limits, ...agentSettings(model) };
  }
  const exceeded = expect.objectContaining({ name: "LimitExceeded", limit: "time", max: 5_000 });

  async function errorsOf(
    stream: (onError: (event: { error: unknown }) => void) => { consumeStream(): PromiseLike<void> },
  ): Promise<unknown[]> {
    const errors: unknown[] = [];
    await stream(({ error }) => void errors.push(error)).consumeStream();
    return errors;
  }

  test.each([1, 2])("makes a call whose request %i stalls reject with its error", async (stallsAt) => {
    const { clock, limits, requests, ...settings } = raising(({ index }) => {
      if (index < stallsAt) return { calls: 1 };
      void clock.hang(5_000);
      return { stalls: true };
    });

    await expect(generateText(limits.govern({ ...settings, prompt: "go" }))).rejects.toEqual(exceeded);

    expect(requests).toHaveLength(stallsAt);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time", turns: stallsAt });
  });

  test.each([1, 2])("makes a stream whose request %i stalls end with its error", async (stallsAt) => {
    const { clock, limits, requests, ...settings } = raising(({ index }) => {
      if (index < stallsAt) return { calls: 1 };
      void clock.hang(5_000);
      return { stalls: true };
    });

    const call = { ...settings, prompt: "go" };
    const errors = await errorsOf((onError) => streamText(limits.govern({ ...call, onError })));

    expect(errors).toEqual([exceeded]);

    expect(requests).toHaveLength(stallsAt);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time", turns: stallsAt });
  });

  test.each([
    [[]],
    [[{ type: "tool-call" as const, toolCallId: "c", toolName: "work", input: '{"id":"c"}' }]],
  ])("makes a stream that stalls in the middle end with its error, once", async (calls) => {
    const { clock, limits, requests: _, ...settings } = raising(() => ({ calls: 1 }));
    const model = new MockLanguageModelV4({
      doStream: async () => ({
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "text-start", id: "1" });
            controller.enqueue({ type: "text-delta", id: "1", delta: "So far" });
            for (const call of calls) controller.enqueue(call);
            void clock.hang(5_000);
          },
        }),
      }),
    });

    const call = { ...settings, model, prompt: "go" };
    const errors = await errorsOf((onError) => streamText(limits.govern({ ...call, onError })));

    expect(errors).toEqual([exceeded]);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time", steps: 0 });
  });

  test("is the last error of the SDK's own where a retry is cut off", async () => {
    const { clock, limits, requests, ...settings } = raising(({ index }) => {
      if (index === 1) return { fails: true };
      void clock.hang(5_000);
      return { stalls: true };
    });

    const run = generateText(limits.govern({ ...settings, prompt: "go" }));

    await expect(run).rejects.toMatchObject({ name: "AI_RetryError", lastError: exceeded });
    expect(requests).toHaveLength(2);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time", turns: 1 });
  });

  test("makes a call whose tool hangs reject with its error", async () => {
    const { clock, limits, requests, ...settings } = raising(() => ({ calls: 1 }));
    const tools = { work: workTool(() => clock.hang(5_000)) };

    await expect(generateText(limits.govern({ ...settings, tools, prompt: "go" }))).rejects.toEqual(exceeded);

    expect(requests).toHaveLength(1);
  });
});

describe("calls that a person approved before", () => {
  function approved(calls: number) {
    const ids = Array.from({ length: calls }, (_, n) => `c${n}`);
    return [
      { role: "user" as const, content: "go" },
      {
        role: "assistant" as const,
        content: ids.flatMap((id) => [
          { type: "tool-call" as const, toolCallId: id, toolName: "work", input: { id } },
          { type: "tool-approval-request" as const, approvalId: `a-${id}`, toolCallId: id },
        ]),
      },
      {
        role: "tool" as const,
        content: ids.map((id) => ({
          type: "tool-approval-response" as const,
          approvalId: `a-${id}`,
          approved: true,
        })),
      },
    ];
  }

  function settingsFor(onExhausted: "synthesize" | "raise" | "refuse") {
    const executed: string[] = [];
    const limits = limitToolLoop({ steps: { max: 1, onExhausted } });
    const { requests, model } = agentSettings(() => ({ text: "done" }));
    const tools = { work: { ...workTool((id) => void executed.push(id)), needsApproval: true } };
    return { limits, requests, executed, call: { model, tools, messages: approved(2) } };
  }

  test("count as steps, and a limit that raises ends the run before its first turn", async () => {
    const { limits, requests, executed, call } = settingsFor("raise");

    await expect(generateText(limits.govern(call))).rejects.toSatisfy(isStepLimitExceeded);

    expect(executed).toEqual(["c0"]);
    expect(requests).toHaveLength(0);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "steps", steps: 1 });
  });

  test("are salvaged when the limit synthesizes", async () => {
    const { limits, requests, executed, call } = settingsFor("synthesize");

    const result = await generateText(limits.govern(call));

    expect(executed).toEqual(["c0"]);
    expect(requests.map(({ tools }) => tools.length)).toEqual([0]);
    expect(result.text).toBe("done");
    expect(orphansIn([...call.messages, ...result.responseMessages])).toBe(0);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "salvaged", limit: "steps", steps: 1 });
  });

  test("are salvaged in a stream, too", async () => {
    const { limits, requests, executed, call } = settingsFor("synthesize");

    const result = streamText(limits.govern(call));
    await result.consumeStream();

    expect(executed).toEqual(["c0"]);
    expect(requests.map(({ tools }) => tools.length)).toEqual([0]);
    expect(await result.text).toBe("done");
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "salvaged", limit: "steps", steps: 1 });
  });

  test("are refused when the limit refuses, and the run goes on", async () => {
    const { limits, executed, call } = settingsFor("refuse");

    const result = await generateText(limits.govern(call));

    expect(executed).toEqual(["c0"]);
    expect(result.text).toBe("done");
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", steps: 1, intervened: true });
  });
});

test("a question is withdrawn when the call is aborted", async () => {
  const abort = new AbortController();
  const withdrawn: boolean[] = [];
  const limits = limitToolLoop({
    turns: 1,
    ask: (_question, signal) => {
      abort.abort();
      withdrawn.push(signal.aborted);
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          withdrawn.push(true);
          resolve(true);
        }),
      );
    },
  });
  const { requests, ...settings } = agentSettings(() => ({ calls: 1 }));

  await generateText(limits.govern({ ...settings, abortSignal: abort.signal, prompt: "go" })).catch(() => {});

  expect(withdrawn).toEqual([false, true]);
  expect(requests).toHaveLength(1);
  expect(limits.outcome).toMatchObject({ kind: "aborted" });
});

test("numbers that cannot be right count as not reported", async () => {
  const warnings: string[] = [];
  const limits = limitToolLoop({ turns: 3, tokens: 500, onWarning: (message) => warnings.push(message) });
  const { requests, ...settings } = agentSettings(() => ({ calls: 1 }));
  const model = new MockLanguageModelV4({
    doGenerate: async (request) => ({
      ...(await settings.model.doGenerate(request)),
      usage: {
        inputTokens: { total: Number.NaN, noCache: -1, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: -20, text: undefined, reasoning: undefined },
      },
    }),
  });

  await generateText(limits.govern({ ...settings, model, prompt: "go" }));

  expect(requests).toHaveLength(3);
  expect(warnings).toEqual([expect.stringContaining("Nothing was reported")]);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "turns" });
});

test("a price that is no number ends the run with an error that says so", async () => {
  const limits = limitToolLoop({ cost: 5, price: () => Number.NaN });
  const { requests, ...settings } = agentSettings(() => ({ calls: 1 }));

  await expect(generateText(limits.govern({ ...settings, prompt: "go" }))).rejects.toSatisfy(isInvalidLimit);

  expect(requests).toHaveLength(1);
});

describe("a sub-agent of a run that synthesizes", () => {
  test("leaves the last turn to the agent that was prompted", async () => {
    const limits = limitToolLoop({ turns: { max: 3, onExhausted: "synthesize" } });
    const { requests, model } = agentSettings(({ tools }) =>
      tools.length > 0 ? { calls: 1 } : { text: "partial" },
    );
    const answers: string[] = [];
    const work = workTool(async (_, options) => {
      const inner = { model, tools: { work: workTool(() => "done") } };
      const agent = new ToolLoopAgent(limits.subAgent(options, inner));
      answers.push((await agent.generate({ prompt: "help" })).text);
    });

    const result = await generateText(limits.govern({ model, tools: { work }, prompt: "go" }));

    expect(requests.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 0]);
    expect(answers).toEqual([""]);
    expect(result.text).toBe("partial");
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "salvaged", limit: "turns" });
  });

  test("takes no further turn once its call was cut off and the run is over", async () => {
    const clock = new ManualClock();
    const limits = limitToolLoop({ time: { max: 5_000, onExhausted: "synthesize" }, clock });
    const { requests, model } = agentSettings(({ tools }) =>
      tools.length > 0 ? { calls: 1 } : { text: "partial" },
    );
    let release = () => {};
    let subAgent: Promise<unknown> | undefined;
    const work = workTool((_, options) => {
      const slow = workTool(() => {
        void clock.hang(5_000);
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      });
      const agent = new ToolLoopAgent(limits.subAgent(options, { model, tools: { work: slow } }));
      subAgent = agent.generate({ prompt: "help" });
      return subAgent;
    });

    const result = await generateText(limits.govern({ model, tools: { work }, prompt: "go" }));
    release();
    await subAgent;

    expect(requests.map(({ tools }) => tools.length)).toEqual([1, 1, 0]);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "salvaged", limit: "time", turns: 3 });
  });
});
