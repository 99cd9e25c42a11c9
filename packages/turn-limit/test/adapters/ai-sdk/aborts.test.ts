import { generateText, streamText, ToolLoopAgent } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import { scripted } from "./settings.ts";

/** The caller aborts while a person is asked, who never replies. */
function abortedWhileAsked(turns: number) {
  const controller = new AbortController();
  const reason = new Error("The caller has gone.");
  const withdrawn: boolean[] = [];
  const limits = limitToolLoop({
    turns,
    ask: (_, signal) => {
      signal.addEventListener("abort", () => void withdrawn.push(true));
      setImmediate(() => controller.abort(reason));
      return new Promise(() => {});
    },
  });
  return { limits, reason, withdrawn, abortSignal: controller.signal, ...scripted() };
}

/** A `timeout` of a call that is over when the test says so, and not when the machine is slow. */
function timeoutInHand() {
  const controller = new AbortController();
  const spy = vi.spyOn(AbortSignal, "timeout").mockReturnValue(controller.signal);
  onTestFinished(() => spy.mockRestore());
  return { timeout: 50, isOver: () => controller.abort(new DOMException("It is over.", "TimeoutError")) };
}

describe("an abort while a person is asked", () => {
  test("makes generateText reject with its reason", async () => {
    const { limits, reason, withdrawn, abortSignal, requests, settings } = abortedWhileAsked(2);

    const call = limits.govern({ ...settings, abortSignal, prompt: "go" });
    await expect(generateText(call)).rejects.toBe(reason);

    expect([requests.length, withdrawn]).toEqual([2, [true]]);
    expect(limits.outcome?.kind).toBe("aborted");
  });

  test("makes generate() of an agent reject with its reason", async () => {
    const { limits, reason, withdrawn, abortSignal, requests, settings } = abortedWhileAsked(2);

    const agent = new ToolLoopAgent(limits.govern(settings));
    await expect(agent.generate({ prompt: "go", abortSignal })).rejects.toBe(reason);

    expect([requests.length, withdrawn]).toEqual([2, [true]]);
    expect(limits.outcome?.kind).toBe("aborted");
  });

  test("makes generateText reject before its first turn, too", async () => {
    const { limits, reason, abortSignal, requests, settings } = abortedWhileAsked(0);

    const call = limits.govern({ ...settings, abortSignal, prompt: "go" });
    await expect(generateText(call)).rejects.toBe(reason);

    expect(requests).toHaveLength(0);
    expect(limits.outcome?.kind).toBe("aborted");
  });

  test("ends a stream as the SDK does", async () => {
    const { limits, abortSignal, requests, settings } = abortedWhileAsked(2);
    const parts: string[] = [];
    let aborts = 0;
    const onAbort = () => {
      aborts += 1;
    };

    const call = limits.govern({ ...settings, abortSignal, onAbort, prompt: "go" });
    for await (const { type } of streamText(call).fullStream) parts.push(type);

    expect([parts.at(-1), aborts, requests.length]).toEqual(["abort", 1, 2]);
    expect(limits.outcome?.kind).toBe("aborted");
  });

  test("by the timeout of the call makes it reject", async () => {
    const { timeout, isOver } = timeoutInHand();
    const ask = () => {
      setImmediate(isOver);
      return new Promise<never>(() => {});
    };
    const limits = limitToolLoop({ turns: 1, ask });
    const { settings, requests } = scripted();

    const call = limits.govern({ ...settings, timeout, prompt: "go" });
    await expect(generateText(call)).rejects.toMatchObject({ name: "TimeoutError" });

    expect(requests).toHaveLength(1);
    expect(limits.outcome?.kind).toBe("aborted");
  });
});

test.each(["TimeoutError", "AbortError"])(
  "a model's own %s is a failed run: nobody aborted it",
  async (name) => {
    const limits = limitToolLoop({ turns: 2 });
    const doGenerate = () => Promise.reject(Object.assign(new Error("the provider is slow"), { name }));
    const model = new MockLanguageModelV4({ doGenerate });

    await expect(generateText(limits.govern({ model, prompt: "go", maxRetries: 0 }))).rejects.toThrow("slow");

    expect(limits.outcome?.kind).toBe("failed");
  },
);

test("a call that its own timeout ends in the middle of a request is aborted", async () => {
  const limits = limitToolLoop({ turns: 2 });
  const { timeout, isOver } = timeoutInHand();
  const { settings } = scripted(() => {
    setImmediate(isOver);
    return { stalls: true };
  });

  const call = limits.govern({ ...settings, timeout, prompt: "go" });
  await expect(generateText(call)).rejects.toMatchObject({ name: "TimeoutError" });

  expect(limits.outcome?.kind).toBe("aborted");
});
