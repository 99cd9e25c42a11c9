import { generateText, type ModelMessage, registerTelemetry, streamText, ToolLoopAgent } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterEach, describe, expect, test } from "vitest";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { scripted } from "./settings.ts";

const orphaned: ModelMessage[] = [
  { role: "user", content: "go" },
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "work", input: {} }] },
  { role: "user", content: "next" },
];

const approved: ModelMessage[] = [
  { role: "user", content: "go" },
  {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "a", toolName: "work", input: { id: "a" } },
      { type: "tool-approval-request", approvalId: "p", toolCallId: "a" },
    ],
  },
  { role: "tool", content: [{ type: "tool-approval-response", approvalId: "p", approved: true }] },
];

function limited() {
  const clock = new ManualClock();
  const seen = { asked: 0, outcomes: [] as string[] };
  const limits = limitToolLoop({
    time: 1_000,
    clock,
    ask: () => {
      seen.asked += 1;
      return true;
    },
    onOutcome: ({ kind }) => void seen.outcomes.push(kind),
  });
  return { limits, clock, seen };
}

type Settings = ReturnType<typeof scripted>["settings"] & { messages: ModelMessage[]; onError(): void };

/** The settings of calls that the SDK ends without telling any callback. */
const deadly: [string, () => Settings][] = [
  [
    "whose messages the SDK refuses before its first request",
    () => ({ ...scripted().settings, messages: orphaned, onError() {} }),
  ],
  [
    "whose messages the SDK refuses after its first turn",
    () => ({
      ...scripted().settings,
      messages: [{ role: "user", content: "go" }],
      prepareStep: ({ stepNumber }: { stepNumber: number }) =>
        stepNumber > 0 ? { messages: orphaned } : undefined,
      onError() {},
    }),
  ],
  [
    "whose model cannot say which URLs it supports",
    () => ({
      ...scripted().settings,
      model: new MockLanguageModelV4({ supportedUrls: () => Promise.reject(new Error("no")) }),
      messages: [{ role: "user", content: "go" }],
      onError() {},
    }),
  ],
  [
    "whose approvals cannot be checked",
    () => {
      const { settings } = scripted();
      const needsApproval = () => Promise.reject(new Error("no"));
      const work = { ...settings.tools.work, needsApproval };
      return { ...settings, tools: { work }, messages: approved, onError() {} };
    },
  ],
];

describe.each(deadly)("a call %s", (_, settingsOf) => {
  const plays: [string, (limits: ReturnType<typeof limitToolLoop>) => Promise<unknown>][] = [
    ["generateText", (limits) => generateText(limits.govern(settingsOf()))],
    ["streamText", async (limits) => await streamText(limits.govern(settingsOf())).consumeStream()],
    [
      "generate() of an agent",
      (limits) => {
        const { messages, ...settings } = settingsOf();
        return new ToolLoopAgent(limits.govern(settings)).generate({ messages });
      },
    ],
  ];

  test.each(plays)(
    "is a failed run in %s: nothing of it is left, and nobody is asked",
    async (_name, play) => {
      const { limits, clock, seen } = limited();
      await play(limits).catch(() => {});

      expect(seen.outcomes).toEqual(["failed"]);
      expect(limits.outcome?.kind).toBe("failed");
      expect(clock.timers).toBe(0);
      clock.pass(5_000);
      expect(seen.asked).toBe(0);
    },
  );
});

describe("the caller's telemetry", () => {
  afterEach(() => {
    globalThis.AI_SDK_TELEMETRY_INTEGRATIONS = undefined;
  });
  const listener = (told: string[], name: string) => ({ onStart: () => void told.push(name) });

  test("is told as without limits: that of the call, else the one that is registered", async () => {
    const told: string[] = [];
    const limits = limitToolLoop({ turns: 1 });
    const { settings } = scripted();
    const governed = limits.govern({ ...settings, prompt: "go" });
    registerTelemetry(listener(told, "registered"));

    await generateText(governed);
    const telemetry = { integrations: listener(told, "own") };
    await generateText(limits.govern({ ...settings, prompt: "go", telemetry }));
    await generateText(limits.govern({ ...settings, prompt: "go", telemetry: { isEnabled: false } }));

    expect(told).toEqual(["registered", "own"]);
  });
});
