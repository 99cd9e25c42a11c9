import type { HookCallback, HookEvent, Options } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../src/testing/scripted-host.ts";
import { play, type Script } from "../hosts/claude-agent-sdk/play.ts";
import { type ApiRequest, WORK } from "../hosts/claude-agent-sdk/scripted-api.ts";
import { isOfMainLoop, subAgentCall, whyUnavailable, withSubAgents } from "../hosts/claude-agent-sdk.ts";

const why = await whyUnavailable();

const forever = (): ModelReply => ({ calls: 1 });
const done = (): ModelReply => ({ text: "done" });
const goOn: HookCallback = async () => ({ decision: "block", reason: "Go on." });
const end: HookCallback = async () => ({ continue: false, stopReason: "Enough." });

function hooked(event: HookEvent, ...hooks: HookCallback[]): Options {
  return { hooks: { [event]: [{ hooks }] } };
}

/** Each answer is so long that the program makes a summary of the conversation before it asks again. */
const summarizing: Pick<Script, "options" | "usage"> = {
  usage: { input_tokens: 190_000, output_tokens: 20 },
  options: { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" } },
};

function isForSummary({ messages }: ApiRequest): boolean {
  return JSON.stringify(messages.at(-1)).includes("CRITICAL: Respond with TEXT ONLY");
}

describe.skipIf(why)("a query that is left", () => {
  test.each<[string, NonNullable<Script["onMessage"]>]>([
    ["is closed", (_, limited) => limited.close()],
    ["is closed twice", (_, limited) => [limited.close(), limited.close()]],
    ["is disposed of", (_, limited) => limited[Symbol.asyncDispose]()],
  ])("makes no further request when it %s at its first answer", async (_, leave) => {
    const { requests, executed, results, outcome } = await play({
      limits: { turns: 5 },
      answer: forever,
      onMessage: (message, limited) => (message.type === "assistant" ? leave(message, limited) : undefined),
    });
    expect(requests).toBe(1);
    expect(executed).toEqual([]);
    expect(results).toEqual([]);
    expect(outcome).toMatchObject({ kind: "aborted", turns: 1, steps: 0 });
  });
});

describe.skipIf(why)("a hook of the caller's that sends an agent on", () => {
  const startsOne: Script["answer"] = (_, request) => {
    const hasResults = request.messages.some(({ role }) => role === "assistant");
    return isOfMainLoop(request) && !hasResults ? [subAgentCall("one")] : { text: "done" };
  };
  const further: HookCallback = async () => ({
    hookSpecificOutput: { hookEventName: "SubagentStop", additionalContext: "Go on." },
  });

  test.each<[string, HookCallback[]]>([
    ["blocks its end", [goOn]],
    ["tells it more", [further]],
    ["is one of two", [async () => ({}), goOn]],
  ])("sends a sub-agent on in turns that count: it %s", async (_, hooks) => {
    const { requests, results } = await play({
      limits: { turns: 5 },
      options: { ...withSubAgents, ...hooked("SubagentStop", ...hooks) },
      answer: startsOne,
    });
    expect(requests).toBe(5);
    expect(results).toMatchObject([{ outcome: { kind: "stopped", limit: "turns", turns: 5 } }]);
  });

  test("sends a sub-agent on once, and the rest of the run has its turns", async () => {
    const hooks = [goOn];
    const once: HookCallback = async (...given) => (await hooks.pop()?.(...given)) ?? {};
    const { requests, results } = await play({
      limits: { turns: 5 },
      options: { ...withSubAgents, ...hooked("SubagentStop", once) },
      answer: startsOne,
    });
    expect(requests).toBe(4);
    expect(results).toMatchObject([{ outcome: { kind: "completed", turns: 4, intervened: false } }]);
  });

  test("sends the main loop on for as many turns as there are", async () => {
    const { requests, results } = await play({
      limits: { turns: 3 },
      options: hooked("Stop", goOn),
      answer: done,
    });
    expect(requests).toBe(3);
    expect(results).toMatchObject([{ outcome: { kind: "stopped", limit: "turns", turns: 3 } }]);
  });

  test("does not send it on from the answer without tools", async () => {
    const { requests, results } = await play({
      limits: { turns: { max: 3, onExhausted: "synthesize" } },
      options: hooked("Stop", goOn),
      answer: (_, { tools }) => (tools?.length ? { text: "done" } : { text: "partial" }),
    });
    expect(requests).toBe(4);
    expect(results).toMatchObject([{ result: "partial", outcome: { kind: "salvaged", turns: 4 } }]);
  });
});

describe.skipIf(why)("a turn whose request is not made is not told", () => {
  test.each<[string, Options, number]>([
    ["a prompt that a hook stops", hooked("UserPromptSubmit", end), 0],
    ["a prompt that a hook blocks", hooked("UserPromptSubmit", goOn), 0],
    ["a hook that ends the run after a call", hooked("PostToolUse", end), 1],
    ["a hook that ends the run after the calls", hooked("PostToolBatch", end), 1],
    ["a hook that blocks after the calls", hooked("PostToolBatch", goOn), 1],
  ])("%s", async (_, options, turns) => {
    const { requests, results } = await play({ limits: { turns: 5 }, options, answer: forever });
    expect(requests).toBe(turns);
    expect(results).toMatchObject([{ outcome: { kind: "completed", turns, intervened: false } }]);
  });

  test("a hook that ends a sub-agent after its calls", async () => {
    const endSubAgent: HookCallback = async (input, ...given) =>
      "agent_id" in input && input.agent_id ? end(input, ...given) : {};
    const { requests, results } = await play({
      limits: { turns: 9 },
      options: { ...withSubAgents, ...hooked("PostToolBatch", endSubAgent) },
      answer: (_, request) => {
        if (!isOfMainLoop(request)) return { calls: 1 };
        const hasResults = request.messages.some(({ role }) => role === "assistant");
        return hasResults ? { text: "done" } : [subAgentCall("one")];
      },
    });
    expect(requests).toBe(3);
    expect(results).toMatchObject([{ outcome: { kind: "completed", turns: 3 } }]);
  });

  test("a summary of the conversation that fails in its place", async () => {
    const results: NonNullable<Script["results"]> = [];
    let summaries = 0;
    const played = play({
      limits: { turns: 5 },
      ...summarizing,
      results,
      answer(_, request) {
        if (!isForSummary(request)) return { calls: 1 };
        summaries += 1;
        return [];
      },
    });
    await expect(played).rejects.toThrow("automatic compaction failed");
    expect(summaries).toBe(1);
    expect(results).toMatchObject([{ outcome: { kind: "failed", turns: 1 } }]);
  });

  test("but one whose request comes after the summary is", async () => {
    const { requests, results } = await play({
      limits: { turns: 5 },
      ...summarizing,
      answer(index, request) {
        if (isForSummary(request)) return { text: "<summary>Work was done.</summary>" };
        return index === 1 ? { calls: 1 } : { text: "done" };
      },
    });
    expect(requests).toBe(3);
    expect(results).toMatchObject([{ outcome: { kind: "completed", turns: 2 } }]);
  });
});

test.skipIf(why)("a request that is made again because its answer broke off is the same turn", async () => {
  const { requests, results } = await play({
    limits: { turns: 1 },
    answer: (index) => (index === 1 ? "breaks" : { text: "done" }),
  });
  expect(requests).toBe(2);
  expect(results).toMatchObject([{ result: "done", outcome: { kind: "completed", turns: 1 } }]);
});

describe.skipIf(why)("a request that the program makes again, and tells of no event", () => {
  const cut = { tooLong: [{ type: "text" as const, text: "And so" }] };

  test.each<[string, ReturnType<Script["answer"]>]>([
    ["the answer was too long", cut],
    ["the answer was empty", []],
  ])("is a turn, because %s", async (_, reply) => {
    const { requests, results } = await play({
      limits: { turns: 3 },
      answer: (index) => (index === 1 ? { calls: 1 } : index === 2 ? reply : { text: "done" }),
    });
    expect(requests).toBe(3);
    expect(results).toMatchObject([{ result: expect.stringContaining("done"), outcome: { turns: 3 } }]);
  });

  test.each<[string, ReturnType<Script["answer"]>]>([
    ["the answer was too long", cut],
    ["the answer was empty", []],
  ])("ends the run after the last turn, and the outcome says so: %s", async (_, reply) => {
    const results: NonNullable<Script["results"]> = [];
    const answer: Script["answer"] = (index) => (index < 3 ? { calls: 1 } : reply);
    await play({ limits: { turns: 3 }, results, answer }).catch(() => {});
    // The model would answer like that for ever. How many requests the program makes before it is interrupted is its own
    // affair, and told.
    expect(results).toMatchObject([{ outcome: { kind: "limit-overrun", limit: "turns", turns: 3 } }]);
  });
});

describe.skipIf(why)("a call that was cancelled", () => {
  const cancelled = async (
    script: Pick<Script, "onMessage" | "execute" | "options">,
    abort: AbortController,
  ) => {
    const options: Options = { ...script.options, abortController: abort };
    const results: NonNullable<Script["results"]> = [];
    let executed = 0;
    await play({
      limits: { turns: 5, tools: { [WORK]: 5 } },
      answer: forever,
      ...script,
      execute(id) {
        executed += 1;
        return script.execute?.(id);
      },
      options,
      results,
    }).catch(() => {});
    return { results, executed };
  };

  test("before it began takes no step", async () => {
    const abort = new AbortController();
    const options: Options = {
      allowedTools: [],
      // Nobody answers.
      canUseTool() {
        abort.abort();
        return new Promise(() => {});
      },
    };
    const { results, executed } = await cancelled({ options }, abort);
    expect(executed).toBe(0);
    expect(results).toMatchObject([{ outcome: { kind: "aborted", turns: 1, steps: 0 } }]);
  });

  test("while it ran takes one", async () => {
    const abort = new AbortController();
    const execute = () => {
      abort.abort();
      return new Promise(() => {});
    };
    const { results, executed } = await cancelled({ execute }, abort);
    expect(executed).toBe(1);
    expect(results).toMatchObject([{ outcome: { kind: "aborted", turns: 1, steps: 1 } }]);
  });
});
