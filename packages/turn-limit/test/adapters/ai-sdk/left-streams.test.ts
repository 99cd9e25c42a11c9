import { streamText } from "ai";
import { expect, test } from "vitest";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { scripted } from "./settings.ts";

test.each([1, 4, 8, 12])(
  "a stream that is left after %i parts and aborted is an aborted run",
  async (parts) => {
    const clock = new ManualClock();
    const outcomes: string[] = [];
    const abort = new AbortController();
    const limits = limitToolLoop({ time: 1_000, clock, onOutcome: ({ kind }) => void outcomes.push(kind) });
    const { settings } = scripted();

    const result = streamText(limits.govern({ ...settings, prompt: "go", abortSignal: abort.signal }));
    let read = 0;
    for await (const _ of result.fullStream) if (++read === parts) break;
    for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));

    expect(outcomes).toEqual(["aborted"]);
    expect(clock.timers).toBe(0);
    expect(limits.outcomeOf(result)?.kind).toBe("aborted");
  },
);
