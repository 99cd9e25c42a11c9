import { generateText, streamText, ToolLoopAgent } from "ai";
import { describe, expect, test } from "vitest";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import { workTool } from "../../hosts/ai-sdk.ts";
import { scripted } from "./settings.ts";

describe("settings that two limiters govern", () => {
  test("are held by the steps of the inner one, and both count each call once", async () => {
    const inner = limitToolLoop({ steps: { max: 3, onExhausted: "stop" } });
    const outer = limitToolLoop({ turns: 9 });
    const { settings, executed } = scripted(() => ({ calls: 2 }));

    const result = await generateText(outer.govern(inner.govern({ ...settings, prompt: "go" })));

    expect(executed).toHaveLength(3);
    expect(inner.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "steps", steps: 3, turns: 2 });
    expect(outer.outcomeOf(result)).toMatchObject({ kind: "completed", steps: 4, turns: 2 });
  });

  test("are held by the steps of the outer one, and both count each call once", async () => {
    const inner = limitToolLoop({ turns: 9 });
    const outer = limitToolLoop({ steps: { max: 3, onExhausted: "stop" } });
    const { settings, executed } = scripted(() => ({ calls: 2 }));

    const stream = streamText(outer.govern(inner.govern({ ...settings, prompt: "go" })));
    await stream.consumeStream();

    expect(executed).toHaveLength(3);
    expect(inner.outcomeOf(stream)).toMatchObject({ kind: "completed", steps: 3 });
    expect(outer.outcomeOf(stream)).toMatchObject({ kind: "stopped", limit: "steps", steps: 3, turns: 2 });
  });

  test("are held by both as those of an agent, in each of its calls", async () => {
    const inner = limitToolLoop({ steps: { max: 3, onExhausted: "stop" } });
    const outer = limitToolLoop({ turns: 2 });
    const { settings, executed, requests } = scripted();
    const agent = new ToolLoopAgent(outer.govern(inner.govern(settings)));

    const results = await Promise.all([1, 2].map(() => agent.generate({ prompt: "go" })));

    expect([requests.length, executed.length]).toEqual([4, 4]);
    for (const result of results) {
      expect(inner.outcomeOf(result)).toMatchObject({ kind: "completed", steps: 2 });
      expect(outer.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "turns", steps: 2, turns: 2 });
    }
  });

  test("take over a tool that the caller adds in the middle of a run, for both", async () => {
    const inner = limitToolLoop({ steps: { max: 2, onExhausted: "stop" } });
    const outer = limitToolLoop({ steps: { max: 9, onExhausted: "stop" } });
    const { settings, executed } = scripted();
    const added: string[] = [];
    const tools = { work: settings.tools.work };
    const prepareStep = ({ stepNumber }: { stepNumber: number }) => {
      if (stepNumber === 1) tools.work = workTool((id) => void added.push(id));
      return undefined;
    };

    const call = { ...settings, tools, prepareStep, prompt: "go" };
    const result = await generateText(outer.govern(inner.govern(call)));

    expect([executed, added]).toEqual([["r1c1"], ["r2c1"]]);
    expect(inner.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "steps", steps: 2 });
  });
});

test("settings that the same limits govern already are refused, also in a copy", () => {
  const limits = limitToolLoop({ turns: 3 });
  const { settings } = scripted();
  const governed = limits.govern({ ...settings, prompt: "go" });

  const twice = "these limits govern these settings already. Call govern() or subAgent() once";
  expect(() => limits.govern(governed)).toThrow(twice);
  expect(() => limits.govern({ ...governed })).toThrow(twice);
});
