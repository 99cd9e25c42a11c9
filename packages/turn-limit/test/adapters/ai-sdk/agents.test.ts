import { isStepCount, type ModelMessage, ToolLoopAgent, tool } from "ai";
import { describe, expect, test } from "vitest";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import type { RunInfo } from "../../../src/run/run-info.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { scriptedModel, workTool } from "../../hosts/ai-sdk.ts";
import { scripted } from "./settings.ts";

describe.each(["generate", "stream"] as const)("what prepareCall makes for %s()", (method) => {
  interface Agent {
    generate(call: { prompt: string }): PromiseLike<unknown>;
    stream(call: { prompt: string }): PromiseLike<{ consumeStream(): PromiseLike<void> }>;
  }
  async function run(agent: Agent): Promise<unknown> {
    const prompt = "go";
    if (method === "generate") return agent.generate({ prompt });
    const result = await agent.stream({ prompt });
    await result.consumeStream();
    return result;
  }

  test("other tools are limited", async () => {
    const limits = limitToolLoop({ steps: { max: 2, onExhausted: "stop" } });
    const { settings, executed } = scripted();
    const others: string[] = [];
    const work = workTool((id) => void others.push(id));
    const agent = new ToolLoopAgent(
      limits.govern({ ...settings, prepareCall: (call) => ({ ...call, tools: { work } }) }),
    );

    const result = await run(agent);

    expect(executed).toEqual([]);
    expect(others).toEqual(["r1c1", "r2c1"]);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "steps", steps: 2 });
  });

  test("another prepareStep and other stop conditions do not lift the limits", async () => {
    const limits = limitToolLoop({ turns: 3 });
    const { settings, requests } = scripted();
    const prepared: number[] = [];
    const agent = new ToolLoopAgent(
      limits.govern({
        ...settings,
        prepareCall: (call) => ({
          ...call,
          prepareStep: ({ stepNumber }) => void prepared.push(stepNumber),
          stopWhen: isStepCount(9),
        }),
      }),
    );

    const result = await run(agent);

    expect(requests).toHaveLength(3);
    expect(prepared).toEqual([0, 1, 2]);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "turns" });
  });

  test("stop conditions of its own hold", async () => {
    const limits = limitToolLoop({ turns: 9 });
    const { settings, requests } = scripted();
    const agent = new ToolLoopAgent(
      limits.govern({ ...settings, prepareCall: (call) => ({ ...call, stopWhen: isStepCount(2) }) }),
    );

    const result = await run(agent);

    expect(requests).toHaveLength(2);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", turns: 2, intervened: false });
  });

  test("another model is cut off when the time is up", async () => {
    const clock = new ManualClock();
    const limits = limitToolLoop({ time: 5_000, clock });
    const { settings, requests } = scripted();
    const slow = scriptedModel([], () => {
      void clock.hang(5_000);
      return { stalls: true };
    });
    const agent = new ToolLoopAgent(
      limits.govern({ ...settings, prepareCall: (call) => ({ ...call, model: slow }) }),
    );

    const result = await run(agent);

    expect(requests).toHaveLength(0);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "time", turns: 1 });
  });

  test("other callbacks are called, and the limits are told, too", async () => {
    const limits = limitToolLoop({ turns: 2, tokens: 1_000 });
    const { settings } = scripted();
    const told: string[] = [];
    const agent = new ToolLoopAgent(
      limits.govern({
        ...settings,
        prepareCall: (call) => ({ ...call, onLanguageModelCallEnd: () => void told.push("answer") }),
      }),
    );

    const result = await run(agent);

    expect(told).toEqual(["answer", "answer"]);
    expect(limits.outcomeOf(result)).toMatchObject({ turns: 2, usage: { input: 120, output: 40 } });
  });

  test("settings that it leaves out are gone, and the limits are not", async () => {
    const limits = limitToolLoop({ turns: 2 });
    const { settings, requests } = scripted();
    const told: string[] = [];
    const agent = new ToolLoopAgent(
      limits.govern({
        ...settings,
        prepareStep: () => void told.push("step"),
        prepareCall: ({ model, tools, prompt }) => ({
          model,
          ...(tools && { tools }),
          prompt: prompt ?? "",
          toolsContext: {},
        }),
      }),
    );

    const result = await run(agent);

    expect(told).toEqual([]);
    expect(requests).toHaveLength(2);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "turns" });
  });

  test("is made from the caller's own settings", async () => {
    const limits = limitToolLoop({ turns: 1 });
    const { settings } = scripted();
    const prepareStep = () => ({});
    const seen: unknown[] = [];
    const agent = new ToolLoopAgent(
      limits.govern({
        ...settings,
        prepareStep,
        prepareCall: (call) => {
          seen.push(call.tools === settings.tools, call.prepareStep === prepareStep, "stopWhen" in call);
          return call;
        },
      }),
    );

    await run(agent);

    expect(seen).toEqual([true, true, false]);
  });

  test("its context is that of the run", async () => {
    const told: RunInfo[] = [];
    const limits = limitToolLoop({ turns: 1, onOutcome: (_, run) => void told.push(run) });
    const { settings } = scripted();
    const runtimeContext = { user: "ada" };
    const agent = new ToolLoopAgent(
      limits.govern({
        ...settings,
        runtimeContext: { user: "" },
        prepareCall: (call) => ({ ...call, runtimeContext }),
      }),
    );

    await run(agent);

    expect(told.map(({ context }) => context)).toEqual([runtimeContext]);
  });
});

test("the tools that prepareCall makes for one call are not those of another at the same time", async () => {
  const limits = limitToolLoop({ steps: { max: 2, onExhausted: "stop" } });
  const { settings } = scripted();
  const executed: Record<string, number> = {};
  let calls = 0;
  const agent = new ToolLoopAgent(
    limits.govern({
      ...settings,
      prepareCall: (call) => {
        const name = `call ${++calls}`;
        const work = workTool(() => {
          executed[name] = (executed[name] ?? 0) + 1;
        });
        return { ...call, tools: { work } };
      },
    }),
  );
  const messages: ModelMessage[] = [{ role: "user", content: "go" }];

  const results = await Promise.all([1, 2, 3].map(() => agent.generate({ messages })));

  expect(executed).toEqual({ "call 1": 2, "call 2": 2, "call 3": 2 });
  expect(results.map((result) => limits.outcomeOf(result)?.steps)).toEqual([2, 2, 2]);
});

describe("the options that a sub-agent is given", () => {
  test.each([[undefined], [null], [{}], ["messages"]])(
    "are refused if they are not those of a tool: %j",
    (options) => {
      const { settings } = scripted();
      expect(() => limitToolLoop().subAgent(options as never, { ...settings, prompt: "help" })).toThrow(
        /^the options of subAgent\(\) must be those that a tool's execute gets, not /,
      );
    },
  );

  test("are refused if other limits govern the agent", async () => {
    const limits = limitToolLoop({ turns: 2 });
    const others = limitToolLoop({ turns: 1 });
    const { settings, requests } = scripted();
    const errors: unknown[] = [];
    const work = workTool((_, options) => {
      try {
        others.subAgent(options, { ...settings, prompt: "help" });
      } catch (error) {
        errors.push(error);
      }
    });

    await new ToolLoopAgent(limits.govern({ ...settings, tools: { work } })).generate({ prompt: "go" });

    expect(requests).toHaveLength(2);
    expect(errors.map(String)).toEqual(Array(2).fill(expect.stringContaining("that other limits govern")));
  });

  test("of an agent without limits make it a run of its own", async () => {
    const limits = limitToolLoop({ turns: 1 });
    const { settings, requests } = scripted();
    const work = workTool(async (_, options) => {
      await new ToolLoopAgent(limits.subAgent(options, settings)).generate({ prompt: "help" });
    });

    await new ToolLoopAgent({ ...settings, tools: { work }, stopWhen: isStepCount(1) }).generate({
      prompt: "go",
    });

    expect(requests).toHaveLength(2);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 1 });
  });
});

test("an agent's tools can be read", () => {
  const { settings } = scripted();
  const agent = new ToolLoopAgent(limitToolLoop().govern(settings));
  expect(Object.keys(agent.tools)).toEqual(["work"]);
  expect(tool(agent.tools.work).inputSchema).toBe(settings.tools.work.inputSchema);
});
