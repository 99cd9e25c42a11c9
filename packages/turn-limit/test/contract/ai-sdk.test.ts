import { generateText, hasToolCall, isStepCount, streamText, ToolLoopAgent } from "ai";
import { describe, expect, test } from "vitest";
import { limitToolLoop } from "../../src/adapters/ai-sdk/index.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";
import type { Scenario, SeenRequest } from "../../src/testing/scripted-host.ts";
import { testAdapter } from "../../src/testing/test-adapter.ts";
import { host, scriptedModel, workTool } from "../hosts/ai-sdk.ts";

testAdapter(host, { describe, test });

const endless: Scenario["model"] = () => ({ calls: 1 });

function agentSettings(model: Scenario["model"] = endless) {
  const requests: SeenRequest[] = [];
  return { requests, model: scriptedModel(requests, model), tools: { work: workTool(() => "done") } };
}

describe("an agent", () => {
  test("is limited in generate() and in stream(), and the outcome belongs to the result", async () => {
    const limits = limitToolLoop({ turns: 3 });
    const { requests, ...settings } = agentSettings();
    const agent = new ToolLoopAgent(limits.govern(settings));

    const result = await agent.generate({ prompt: "go" });
    const stream = await agent.stream({ prompt: "go" });
    await stream.consumeStream();

    expect(requests).toHaveLength(6);
    for (const ofRun of [result, stream, result.finalStep, await stream.finalStep]) {
      expect(limits.outcomeOf(ofRun)).toMatchObject({ kind: "stopped", limit: "turns", turns: 3 });
    }
  });

  test("that works for several at once has a budget for each", async () => {
    const outcomes: Outcome[] = [];
    const limits = limitToolLoop({ turns: 4, steps: 10, onOutcome: (outcome) => outcomes.push(outcome) });
    const { requests, ...settings } = agentSettings();
    const agent = new ToolLoopAgent(limits.govern(settings));
    const messages = [{ role: "user" as const, content: "go" }];

    await Promise.all([1, 2, 3].map(() => agent.generate({ messages })));

    expect(requests).toHaveLength(12);
    expect(outcomes.map(({ kind, turns, steps }) => [kind, turns, steps])).toEqual(
      Array.from({ length: 3 }, () => ["stopped", 4, 4]),
    );
  });

  test("that is aborted by the caller of generate() ends as aborted", async () => {
    const limits = limitToolLoop({ turns: 9 });
    const abort = new AbortController();
    const { requests, ...settings } = agentSettings();
    const tools = { work: workTool(() => abort.abort()) };
    const agent = new ToolLoopAgent(limits.govern({ ...settings, tools }));

    await expect(agent.generate({ prompt: "go", abortSignal: abort.signal })).rejects.toThrow(/abort/i);

    expect(requests).toHaveLength(1);
    expect(limits.outcome?.kind).toBe("aborted");
  });
});

describe("a sub-agent", () => {
  test("spends the budget of the run that called it", async () => {
    const limits = limitToolLoop({ turns: 3 });
    const requests: SeenRequest[] = [];
    const model = scriptedModel(requests, endless);
    const work = workTool(async (_, options) => {
      const inner = { model, tools: { work: workTool(() => "done") } };
      await new ToolLoopAgent(limits.subAgent(options, inner)).generate({ prompt: "help" });
    });

    const result = await generateText(limits.govern({ model, tools: { work }, prompt: "go" }));

    expect(requests).toHaveLength(3);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", turns: 3 });
  });
});

describe("the settings of the user", () => {
  test("keep their stop conditions, and a turn that these prevent is not counted", async () => {
    const limits = limitToolLoop({ turns: 5 });
    const { requests, ...settings } = agentSettings();
    const stopWhen = [isStepCount(2), hasToolCall("other")];

    const result = await generateText(limits.govern({ ...settings, stopWhen, prompt: "go" }));

    expect(requests).toHaveLength(2);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", turns: 2, intervened: false });
  });

  test("keep what they prepare for a step, with the message of the limits after it", async () => {
    const limits = limitToolLoop({ turns: { max: 3, grace: 1, wrapUp: { message: "Wrap up." } } });
    const { requests, ...settings } = agentSettings(({ index }) =>
      index > 2 ? { text: "ok" } : { calls: 1 },
    );

    const { text } = await generateText(
      limits.govern({
        ...settings,
        prompt: "go",
        prepareStep: ({ messages, stepNumber }) => ({
          messages: [...messages, { role: "user", content: `note ${stepNumber}` }],
        }),
      }),
    );

    expect(text).toBe("ok");
    expect(requests.at(-1)?.texts.slice(-2)).toEqual(["note 2", "Wrap up."]);
  });

  test("keep their callbacks, which can read the outcome at the end", async () => {
    const limits = limitToolLoop({ turns: 1 });
    const { requests: _, ...settings } = agentSettings();
    const told: unknown[] = [];

    const result = streamText(
      limits.govern({
        ...settings,
        prompt: "go",
        onStart: () => void told.push("start"),
        onEnd: () => void told.push(limits.outcome?.kind),
      }),
    );
    await result.consumeStream();

    expect(told).toEqual(["start", "stopped"]);
  });
});

test("the order of the calls decides which of them run, not when they begin", async () => {
  const limits = limitToolLoop({ steps: { max: 1, onExhausted: "synthesize" } });
  const requests: SeenRequest[] = [];
  const executed: string[] = [];
  const model = scriptedModel(requests, ({ tools }) =>
    tools.length > 0 ? { calls: 2 } : { text: "partial" },
  );
  const tools = { work: workTool((id) => void executed.push(id)) };

  await generateText(
    limits.govern({
      model,
      tools,
      prompt: "go",
      onToolExecutionStart: ({ toolCall }) =>
        new Promise((resolve) => setTimeout(resolve, toolCall.toolCallId === "r1c1" ? 10 : 0)),
    }),
  );

  expect(executed).toEqual(["r1c1"]);
});

test("a request that fails for good is a failed run, and the next one starts fresh", async () => {
  const limits = limitToolLoop({ turns: 2 });
  const { requests, ...settings } = agentSettings(({ index }) =>
    index < 2 ? { fails: true } : { calls: 1 },
  );
  const call = limits.govern({ ...settings, prompt: "go", maxRetries: 0 });

  await expect(generateText(call)).rejects.toThrow("overloaded");
  expect(limits.outcome).toMatchObject({ kind: "failed", turns: 1 });

  expect(limits.outcomeOf(await generateText(call))).toMatchObject({ kind: "stopped", turns: 2 });
  expect(requests).toHaveLength(3);
});

test("where not even the first turn may begin, the call ends without an answer and without an error", async () => {
  const limits = limitToolLoop({ turns: 0 });
  const { requests, ...settings } = agentSettings();

  const result = await generateText(limits.govern({ ...settings, toolChoice: "required", prompt: "go" }));

  expect(requests).toHaveLength(0);
  expect(result).toMatchObject({ text: "", finishReason: "other", rawFinishReason: "turn-limit" });
  expect(result.responseMessages).toEqual([]);
});
