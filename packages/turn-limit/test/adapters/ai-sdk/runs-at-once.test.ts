import { generateText, type ModelMessage, streamText, ToolLoopAgent } from "ai";
import { describe, expect, test } from "vitest";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import { workTool } from "../../hosts/ai-sdk.ts";
import { scripted } from "./settings.ts";

const messages: ModelMessage[] = [
  { role: "user", content: "go" },
  {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "a", toolName: "approved", input: { id: "a" } },
      { type: "tool-approval-request", approvalId: "p", toolCallId: "a" },
    ],
  },
  { role: "tool", content: [{ type: "tool-approval-response", approvalId: "p", approved: true }] },
];

describe("two calls at once with the very same messages", () => {
  /** The approved tool of the call that began first returns when the other call is over. */
  function overtaking() {
    const { settings, executed } = scripted();
    let open = () => {};
    const overtaken = new Promise<void>((resolve) => {
      open = resolve;
    });
    const approvedCalls: string[] = [];
    const approved = {
      ...workTool(async (id) => {
        if (approvedCalls.push(id) === 1) await overtaken;
      }),
      needsApproval: true,
    };
    const limits = limitToolLoop({ turns: 3, steps: { max: 3, onExhausted: "stop" } });
    const ended = <Result>(result: Result) => {
      open();
      return result;
    };
    return {
      limits,
      ended,
      executed,
      approvedCalls,
      settings: { ...settings, tools: { ...settings.tools, approved } },
    };
  }
  const each = { kind: "stopped", steps: 3 };

  test("have a budget each in generateText, though the second overtakes the first", async () => {
    const { limits, ended, settings, executed, approvedCalls } = overtaking();
    const call = limits.govern({ ...settings, messages });

    const results = await Promise.all([1, 2].map(() => generateText(call).then(ended)));

    expect(results.map((result) => limits.outcomeOf(result))).toMatchObject([each, each]);
    expect([approvedCalls.length, executed.length]).toEqual([2, 4]);
  });

  test("have a budget each in streamText", async () => {
    const { limits, ended, settings, executed } = overtaking();
    const call = limits.govern({ ...settings, messages });

    const results = [streamText(call), streamText(call)];
    await Promise.all(results.map((result) => result.consumeStream().then(ended)));

    expect(results.map((result) => limits.outcomeOf(result))).toMatchObject([each, each]);
    expect(executed).toHaveLength(4);
  });

  test("have a budget each in an agent, also under two limiters", async () => {
    const { limits, ended, settings, executed } = overtaking();
    const outer = limitToolLoop({ steps: { max: 3, onExhausted: "stop" } });
    const agent = new ToolLoopAgent(outer.govern(limits.govern(settings)));

    const results = await Promise.all([1, 2].map(() => agent.generate({ messages }).then(ended)));

    expect(results.map((result) => limits.outcomeOf(result))).toMatchObject([each, each]);
    expect(results.map((result) => outer.outcomeOf(result)?.steps)).toEqual([3, 3]);
    expect(executed).toHaveLength(4);
  });
});

test("calls at once without tools, with the very same messages, are told apart", async () => {
  const told: unknown[] = [];
  const limits = limitToolLoop({
    turns: 1,
    onOutcome: (outcome, run) => void told.push([run.context, outcome.kind]),
  });
  const waiting: (() => void)[] = [];
  const { model } = scripted(() => ({ text: "done" })).settings;
  const contexts = [{ user: "ada" }, { user: "bob" }];
  // The second overtakes the first before its first step.
  const prepareStep = async ({ runtimeContext }: { runtimeContext: { user: string } }) => {
    if (runtimeContext.user === "ada") await new Promise<void>((resolve) => void waiting.push(resolve));
    return {};
  };

  const results = contexts.map((runtimeContext) =>
    generateText(limits.govern({ model, messages: messages.slice(0, 1), runtimeContext, prepareStep })),
  );
  await results[1];
  for (const resolve of waiting) resolve();
  await results[0];

  expect(told).toEqual([
    [contexts[1], "completed"],
    [contexts[0], "completed"],
  ]);
});
