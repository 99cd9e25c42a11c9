import { generateText, streamText, ToolLoopAgent } from "ai";
import { describe, expect, test } from "vitest";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import type { RunInfo } from "../../../src/run/run-info.ts";
import { workTool } from "../../hosts/ai-sdk.ts";
import { endless, scripted } from "./settings.ts";

const answer = () => ({ text: "done" });

describe("the outcome of a result", () => {
  test("of a stream is not known before it has been read, and asking for it reads nothing", async () => {
    const limits = limitToolLoop({ turns: 2 });
    const { settings, requests } = scripted();

    const result = streamText(limits.govern({ ...settings, prompt: "go" }));
    for (let asked = 0; asked < 20; asked += 1) {
      expect(limits.outcomeOf(result)).toBeUndefined();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(requests.length).toBeLessThan(2);

    await result.consumeStream();
    expect(requests).toHaveLength(2);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "turns", turns: 2 });
  });

  test("of a stream without tools is known, too", async () => {
    const limits = limitToolLoop();
    const { model } = scripted(answer).settings;

    const result = streamText(limits.govern({ model, prompt: "go" }));
    await result.consumeStream();

    expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", turns: 1 });
  });

  test("of a stream without tools that fails is known, too", async () => {
    const limits = limitToolLoop({ turns: { max: 0, onExhausted: "raise" } });
    const { model } = scripted(answer).settings;

    const result = streamText(limits.govern({ model, prompt: "go", onError: () => {} }));
    await result.consumeStream();

    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", turns: 0 });
  });

  test("of a stream that is aborted says so", async () => {
    const abort = new AbortController();
    const limits = limitToolLoop({ turns: 5 });
    const { settings } = scripted(({ index }) => {
      if (index === 2) abort.abort();
      return { calls: 1 };
    });

    const result = streamText(
      limits.govern({ ...settings, abortSignal: abort.signal, prompt: "go", onError: () => {} }),
    );
    await result.consumeStream();

    expect(limits.outcomeOf(result)).toMatchObject({ kind: "aborted" });
  });

  test("of a stream that ends in an error before its first step is over is known", async () => {
    const limits = limitToolLoop({ turns: { max: 0, onExhausted: "raise" } });
    const { settings } = scripted();

    const result = streamText(limits.govern({ ...settings, prompt: "go", onError: () => {} }));
    await result.consumeStream();

    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "turns", turns: 0 });
  });

  test("is each one's own where an agent works for several at once", async () => {
    const limits = limitToolLoop({ turns: 3 });
    let requests = 0;
    // The first run to ask finishes with its first answer.
    const { settings } = scripted(() => (++requests === 1 ? { text: "done" } : { calls: 1 }));
    const agent = new ToolLoopAgent(limits.govern(settings));
    const messages = [{ role: "user" as const, content: "go" }];

    const results = await Promise.all([1, 2].map(() => agent.stream({ messages })));
    await Promise.all(results.map((result) => result.consumeStream()));

    const turns = results.map((result) => limits.outcomeOf(result)?.turns);
    expect(turns.toSorted()).toEqual([1, 3]);
    expect(await Promise.all(results.map(async ({ steps }) => (await steps).length))).toEqual(turns);
  });

  test("is never that of another call, also where the same settings are used again", async () => {
    const limits = limitToolLoop({ turns: 2 });
    const { settings } = scripted(({ index }) => (index === 1 ? { text: "done" } : { calls: 1 }));
    const copied = { ...limits.govern({ ...settings, prompt: "go" }) };

    const first = await generateText(copied);
    const second = await generateText(copied);
    const third = streamText(copied);
    await third.consumeStream();

    expect(limits.outcomeOf(first)).toMatchObject({ kind: "completed", turns: 1 });
    expect(limits.outcomeOf(second)).toMatchObject({ kind: "stopped", turns: 2 });
    expect(limits.outcomeOf(third)).toBeUndefined();
    expect(limits.outcomeOf(await third.finalStep)).toMatchObject({ kind: "stopped", turns: 2 });
  });

  test("of anything else is not known", async () => {
    const limits = limitToolLoop({ turns: 2 });
    const { settings } = scripted(endless);
    const governed = limits.govern({ ...settings, prompt: "go" });
    const ungoverned = await generateText({ ...settings, prompt: "go" });

    for (const other of [undefined, null, "text", 5, {}, governed, settings.tools, ungoverned]) {
      expect(limits.outcomeOf(other)).toBeUndefined();
    }
    expect(limitToolLoop().outcomeOf(await generateText(governed))).toBeUndefined();
  });
});

test("the outcome of the last run is not known while one is under way", async () => {
  const limits = limitToolLoop({ turns: 1 });
  const { settings } = scripted();
  const seen: unknown[] = [];
  const call = limits.govern({ ...settings, prompt: "go", onStepEnd: () => void seen.push(limits.outcome) });

  await generateText(call);
  await generateText(call);

  expect(seen).toEqual([undefined, undefined]);
  expect(limits.outcome).toMatchObject({ kind: "stopped" });
});

test("who is told of the end knows the SDK's id of the call and the caller's context", async () => {
  const told: RunInfo[] = [];
  const limits = limitToolLoop({ turns: 1, onOutcome: (_, run) => void told.push(run) });
  const { settings } = scripted();
  const runtimeContext = { user: "ada" };

  const { finalStep } = await generateText(limits.govern({ ...settings, prompt: "go", runtimeContext }));

  expect(told).toMatchObject([{ id: finalStep.callId, context: runtimeContext }]);
  expect(told[0]?.context).toBe(runtimeContext);
});

test("a price is asked for with the model that answered", async () => {
  const asked: unknown[] = [];
  const limits = limitToolLoop({
    turns: 1,
    cost: 5,
    price: (_usage, model) => {
      asked.push(model);
      return 0.5;
    },
  });
  const { settings } = scripted();

  const result = await generateText(limits.govern({ ...settings, prompt: "go" }));

  const { modelId, provider } = settings.model;
  expect(asked).toEqual([{ id: modelId, provider }]);
  expect(limits.outcomeOf(result)).toMatchObject({ usage: { cost: 0.5 } });
});

describe("work that goes on after its run is over", () => {
  test("takes no turn as a sub-agent, neither of its own run nor of the next", async () => {
    const limits = limitToolLoop({ turns: 2 });
    const { requests, settings } = scripted();
    let later: () => Promise<unknown> = async () => {};
    const work = workTool((_, options) => {
      later = () => generateText(limits.subAgent(options, { ...settings, prompt: "help" }));
    });
    await generateText(limits.govern({ ...settings, tools: { work }, prompt: "go" }));
    const afterFirst = later;

    const next = await generateText(
      limits.govern({ ...settings, prompt: "go", onStepStart: () => afterFirst().then(() => {}) }),
    );

    expect(requests).toHaveLength(4);
    expect(limits.outcomeOf(next)).toMatchObject({ kind: "stopped", turns: 2 });
  });

  test("executes no tool in the name of the run", async () => {
    const limits = limitToolLoop({ turns: 1 });
    const { executed, settings } = scripted();
    const governed = limits.govern({ ...settings, prompt: "go" });
    let later: () => unknown = () => {};
    const call = { toolCallId: "late", context: {} };
    const work = workTool((_, { messages }) => {
      later = () => governed.tools?.work?.execute?.({ id: "late" }, { ...call, messages });
    });
    await generateText(limits.govern({ ...settings, tools: { work }, prompt: "go" }));

    expect(later).toThrow("the run is over");
    expect(executed).toEqual([]);
  });

  test("can use the tools without a run", async () => {
    const limits = limitToolLoop({ steps: 1, turns: 1 });
    const { executed, settings } = scripted();
    const agent = new ToolLoopAgent(limits.govern(settings));
    await agent.generate({ prompt: "go" });

    await agent.tools.work.execute?.({ id: "alone" }, { toolCallId: "x", messages: [], context: {} });

    expect(executed).toEqual(["r1c1", "alone"]);
  });
});
