import { createRequire } from "node:module";
import { Mastra } from "@mastra/core";
import { Agent, type AgentConfig, type MastraLanguageModel } from "@mastra/core/agent";
import { ModelRouterLanguageModel } from "@mastra/core/llm";
import { noopLogger } from "@mastra/core/logger";
import { MockMemory } from "@mastra/core/memory";
import { RequestContext } from "@mastra/core/request-context";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { boundedModel } from "../../src/adapters/mastra/bounded-models.ts";
import { limitAgent, type RunInfo, type RunOptions } from "../../src/adapters/mastra/index.ts";
import { Progress } from "../../src/adapters/mastra/progress.ts";
import { HostedAgent } from "../../src/adapters/shared/hosted-agent.ts";
import { isInvalidLimit } from "../../src/core/errors/invalid-limit.ts";
import { isLimitExceeded } from "../../src/core/errors/limit-exceeded.ts";
import { DEFAULT_SYNTHESIS_MESSAGE } from "../../src/core/limits/last-turn.ts";
import type { PolicyBefore } from "../../src/core/limits/policy.ts";
import { DEFAULT_WRAP_UP_MESSAGE } from "../../src/core/limits/wrap-up.ts";
import { Run } from "../../src/run/run.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { Scenario, SeenRequest } from "../../src/testing/scripted-host.ts";
import { answerTo, runWithGenerate, runWithStream, scriptedAgent, scriptedModel } from "../hosts/mastra.ts";

const HOUR = 3_600_000;

function scripted(script: Scenario["model"]) {
  const requests: SeenRequest[] = [];
  return { requests, model: scriptedModel((options) => answerTo(options, requests, script)) };
}

const callsOnce: Scenario["model"] = ({ index }) => (index === 1 ? { calls: 1 } : { text: "done" });

describe("a person who is waited for", () => {
  const inputSchema = z.object({ id: z.string() });
  const approved = createTool({
    id: "work",
    description: "Works once a person has said yes",
    inputSchema,
    requireApproval: true,
    execute: async () => "done",
  });
  const asking = createTool({
    id: "work",
    description: "Asks a person",
    inputSchema,
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ approved: z.boolean() }),
    execute: async (_, { agent }) => {
      if (!agent?.resumeData) return agent?.suspend?.({ question: "May I?" });
      return "done";
    },
  });

  test.each([
    ["to approve a tool call", approved],
    ["by a tool", asking],
  ])("%s takes no time", async (_, work) => {
    const clock = new ManualClock();
    const { model } = scripted((request) => {
      clock.pass(1_000);
      return callsOnce(request);
    });
    const agent = new Agent({
      id: "worker",
      name: "worker",
      instructions: "You work.",
      model: model as unknown as MastraLanguageModel,
      tools: { work },
    });
    new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
    const limits = limitAgent({ time: 5_000, clock });
    const options = limits.options();

    const stream = await agent.stream("go", options);
    await stream.consumeStream();
    clock.pass(HOUR);
    const resumed = await agent.resumeStream({ approved: true }, { ...options, runId: stream.runId });
    await resumed.consumeStream();

    expect(limits.outcome).toMatchObject({ kind: "completed", turns: 2, time: 2_000 });
  });
});

test("a question is withdrawn when the run is aborted", async () => {
  const { model } = scripted(() => ({ calls: 1 }));
  const agent = scriptedAgent({ model, execute: () => {} });
  const abort = new AbortController();
  let withdrawn: AbortSignal | undefined;
  const limits = limitAgent({
    turns: 1,
    ask(_question, signal) {
      withdrawn = signal;
      abort.abort();
      return new Promise(() => {});
    },
  });

  await runWithGenerate(agent, [], limits.options({ abortSignal: abort.signal }));

  expect(withdrawn?.aborted).toBe(true);
  expect(limits.outcome).toMatchObject({ kind: "aborted" });
});

test("a run that is aborted while a person is asked ends as an aborted run of the host does", async () => {
  async function aborted(isGoverned: boolean) {
    const { requests, model } = scripted(() => ({ calls: 1 }));
    const abort = new AbortController();
    const told: string[] = [];
    const limits = limitAgent({
      turns: 1,
      ask() {
        abort.abort();
        return new Promise(() => {});
      },
    });
    const own: RunOptions = {
      abortSignal: abort.signal,
      maxSteps: 9,
      onFinish: () => void told.push("onFinish"),
      onAbort: () => void told.push("onAbort"),
      ...(!isGoverned && { onIterationComplete: () => abort.abort() }),
    };
    const agent = scriptedAgent({ model, execute: () => {} });
    const { finishReason } = await agent.generate("go", isGoverned ? limits.options(own) : own);
    return { ended: { finishReason, told, requests: requests.length }, limits };
  }

  const { ended, limits } = await aborted(true);
  expect(ended).toEqual((await aborted(false)).ended);
  expect(ended.told).toEqual(["onAbort"]);
  expect(limits.outcome).toMatchObject({ kind: "aborted", turns: 1 });
});

test("of options that have limits already the outer limits hold, and what else is in them applies", async () => {
  const { requests, model } = scripted(() => ({ calls: 1 }));
  const agent = scriptedAgent({ model, execute: () => {} });
  const [outer, inner] = [limitAgent({ turns: 2 }), limitAgent({ turns: 1 })];
  let prepared = 0;
  const prepareStep = () => {
    prepared += 1;
  };
  const result = await agent.generate("go", outer.options(inner.options({ prepareStep })));
  expect(requests).toHaveLength(2);
  expect(prepared).toBe(2);
  expect(outer.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "turns", turns: 2 });
  expect(inner.outcome).toBeUndefined();
});

test("a request that the host makes again by itself is not one too many", async () => {
  const { requests, model } = scripted(({ index }) => (index < 2 ? { fails: true } : { text: "done" }));
  const agent = scriptedAgent({ model, execute: () => {}, errorProcessors: [], maxRetries: 1 });
  const limits = limitAgent({ turns: 1 });

  const { text } = await runWithGenerate(agent, [], limits.options());

  expect(text).toBe("done");
  expect(requests).toHaveLength(2);
  expect(limits.outcome).toMatchObject({ kind: "completed", turns: 1 });
});

test.each([
  ["generate()", runWithGenerate],
  ["a stream", runWithStream],
])(
  "a request that %s makes again by itself counts, and is not sent if it is one too many",
  async (_, run) => {
    const { requests, model } = scripted(() => ({ fails: true }));
    const agent = scriptedAgent({ model, execute: () => {}, errorProcessors: [], maxRetries: 2 });
    const limits = limitAgent({ requests: 2 });

    const { error } = await run(agent, [], limits.options());

    expect(error).toBe(undefined);
    expect(requests).toHaveLength(2);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "requests", turns: 1 });
  },
);

test("so does one that another model is asked instead", async () => {
  const { requests, model } = scripted(() => ({ fails: true }));
  const agent = new Agent({
    id: "worker",
    name: "worker",
    instructions: "You work.",
    model: Array.from({ length: 3 }, () => ({
      model: model as unknown as MastraLanguageModel,
      maxRetries: 0,
    })),
  });
  agent.__setLogger(noopLogger);
  const limits = limitAgent({ requests: 2 });

  await runWithGenerate(agent, [], limits.options());

  expect(requests).toHaveLength(2);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "requests", turns: 1 });
});

test.each([
  ["generate()", runWithGenerate],
  ["a stream", runWithStream],
])("another model that %s asks after it has retried is asked in the same turn", async (_, run) => {
  const { requests, model } = scripted(({ index }) =>
    index < 3 ? { fails: true } : index === 3 ? { calls: 1 } : { text: "done" },
  );
  const work = createTool({
    id: "work",
    description: "Works",
    inputSchema: z.object({ id: z.string() }),
    execute: async () => "done",
  });
  const agent = new Agent({
    id: "worker",
    name: "worker",
    instructions: "You work.",
    model: [1, 0].map((maxRetries) => ({ model: model as unknown as MastraLanguageModel, maxRetries })),
    tools: { work },
  });
  agent.__setLogger(noopLogger);
  const limits = limitAgent({ turns: 2 });

  const { text } = await run(agent, [], limits.options());

  expect(requests).toHaveLength(4);
  expect(text).toBe("done");
  expect(limits.outcome).toMatchObject({ kind: "completed", turns: 2 });
});

describe("a request that stalls", () => {
  function stalling(onExhausted: PolicyBefore<"turn">["onExhausted"] = "stop") {
    const clock = new ManualClock();
    const limits = limitAgent({ time: { max: 5_000, onExhausted }, clock });
    const { model } = scripted(() => {
      void clock.hang(5_000);
      return { stalls: true };
    });
    return { clock, limits, model };
  }

  test("is cut off for a model that a step has instead of the agent's, and the run ends without an error", async () => {
    const { limits, model } = stalling();
    const agent = scriptedAgent({ model: new MockLanguageModelV4(), execute: () => {} });
    const prepareStep = (() => ({ model })) as unknown as NonNullable<RunOptions["prepareStep"]>;

    const { error, finishReason } = await runWithGenerate(agent, [], limits.options({ prepareStep }));

    expect(error).toBeUndefined();
    expect(finishReason).toBe("length");
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  });

  /** A model whose answer stops coming in the middle. */
  const halting = (clock: ManualClock) =>
    new MockLanguageModelV4({
      doStream: async () => ({
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "text-start", id: "1" });
            controller.enqueue({ type: "text-delta", id: "1", delta: "So far" });
            void clock.hang(5_000);
          },
        }),
      }),
    });

  test("in the middle of a stream leaves what was said by then", async () => {
    const { clock, limits } = stalling();
    const agent = scriptedAgent({ model: halting(clock), execute: () => {} });

    const result = await runWithStream(agent, [], limits.options());

    expect(result).toMatchObject({ text: "So far", error: undefined, finishReason: "length" });
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  });

  test.each([
    ["generate() rejects", runWithGenerate],
    ["a stream ends", runWithStream],
  ])("%s with the error of a time limit that raises, and nothing is retried", async (_, run) => {
    const { limits, model } = stalling("raise");
    const agent = scriptedAgent({ model, execute: () => {}, errorProcessors: [], maxRetries: 5 });

    const { error } = await run(agent, [], limits.options());

    expect(isLimitExceeded(error)).toBe(true);
    expect(error).toMatchObject({ limit: "time", max: 5_000 });
    expect(model.doGenerateCalls.length + model.doStreamCalls.length).toBe(1);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  });

  test("in the middle of a stream ends it with the error of a time limit that raises", async () => {
    const { clock, limits } = stalling("raise");
    const agent = scriptedAgent({ model: halting(clock), execute: () => {} });

    const { error } = await runWithStream(agent, [], limits.options());

    expect(error).toMatchObject({ name: "LimitExceeded", limit: "time" });
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time" });
  });
});

test("a turn limit that raises does so at once, however often the agent retries", async () => {
  const { requests, model } = scripted(() => ({ calls: 1 }));
  const agent = scriptedAgent({ model, execute: () => {}, errorProcessors: [], maxRetries: 5 });
  const limits = limitAgent({ turns: { max: 2, onExhausted: "raise" } });

  const { error } = await runWithGenerate(agent, [], limits.options());

  expect(error).toMatchObject({ name: "LimitExceeded", limit: "turns", used: 2, max: 2 });
  expect(requests).toHaveLength(2);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "turns" });
});

describe.each([
  ["generate()", runWithGenerate],
  ["a stream", runWithStream],
])("where maxSteps ends the run, %s", (_, run) => {
  const raising = { max: 0, onExhausted: "raise" } as const;

  test.each([
    ["in a call", {}],
    ["in the agent's default options", { defaultOptions: { maxSteps: 1 } }],
  ])(
    "ends with the error of a limit that raises after a refused call, with maxSteps %s",
    async (__, more) => {
      const { requests, model } = scripted(() => ({ calls: 1 }));
      const limits = limitAgent({ tools: { work: raising } });
      const agent = scriptedAgent({ model, execute() {}, ...more });
      const own: RunOptions = "defaultOptions" in more ? {} : { maxSteps: 1 };
      const { error } = await run(agent, [], limits.options(own));
      expect(error).toMatchObject({ name: "LimitExceeded", limit: "tools.work" });
      expect(requests).toHaveLength(1);
      expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "tools.work" });
    },
  );

  test("takes as many steps as it says, and says so, also where a limit may raise", async () => {
    async function ended(tools: Record<string, typeof raising>) {
      const { requests, model } = scripted(() => ({ calls: 1 }));
      const told: unknown[] = [];
      const options: RunOptions = {
        maxSteps: 2,
        onIterationComplete: ({ iteration, isFinal, maxIterations }) =>
          void told.push([iteration, isFinal, maxIterations]),
      };
      const agent = scriptedAgent({ model, execute() {} });
      const limits = limitAgent({ tools });
      const { error, finishReason } = await run(agent, [], limits.options(options));
      return { requests: requests.length, told, error, finishReason, outcome: limits.outcome?.kind };
    }
    const seen = await ended({ other: raising });
    expect(seen).toEqual(await ended({}));
    expect(seen).toMatchObject({ requests: 2, outcome: "completed", error: undefined });
  });
});

test("input is counted once, whether or not the provider counts the cache as input", async () => {
  const usage = async (inputTokens: number) => {
    const model = new MockLanguageModelV4({
      doGenerate: async () => ({
        content: [{ type: "text", text: "done" }],
        finishReason: { unified: "stop", raw: undefined },
        usage: {
          inputTokens: { total: inputTokens, noCache: undefined, cacheRead: 80, cacheWrite: 0 },
          outputTokens: { total: 20, text: 20, reasoning: 0 },
        },
        warnings: [],
      }),
    });
    const limits = limitAgent({});
    await runWithGenerate(scriptedAgent({ model, execute: () => {} }), [], limits.options());
    return limits.outcome?.usage;
  };

  expect(await usage(100)).toEqual({ input: 20, output: 20, cacheRead: 80, cacheWrite: 0 });
  expect(await usage(30)).toEqual({ input: 30, output: 20, cacheRead: 80, cacheWrite: 0 });
});

test("a tool that is cut off is told by its signal", async () => {
  const clock = new ManualClock();
  const limits = limitAgent({ time: 5_000, clock });
  const told: unknown[] = [];
  const work = createTool({
    id: "work",
    description: "Hangs",
    inputSchema: z.object({ id: z.string() }),
    execute: async (_, { abortSignal }) => {
      abortSignal?.addEventListener("abort", () => told.push(abortSignal.reason));
      await clock.hang(5_000);
    },
  });
  const { model } = scripted(() => ({ calls: 1 }));
  const agent = new Agent({
    id: "worker",
    name: "worker",
    instructions: "You work.",
    model: model as unknown as MastraLanguageModel,
    tools: { work },
  });
  agent.__setLogger(noopLogger);

  await runWithGenerate(agent, [], limits.options());

  expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining("time limit") })]);
});

test("a call that fails in the same way again and again is a loop too", async () => {
  const { requests, model } = scripted(() => ({ calls: 1, same: "again" }));
  const agent = scriptedAgent({ model, execute: () => Promise.reject(new Error("no such file")) });
  const limits = limitAgent({ turns: 9, repeats: 2 });

  await runWithGenerate(agent, [], limits.options());

  expect(requests).toHaveLength(4);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "repeats", steps: 2 });
});

test("a bounded model is still one of the host's own kind", () => {
  const model = boundedModel(
    new ModelRouterLanguageModel("openai/gpt-5"),
    new Progress(new HostedAgent(new Run({}))),
  );

  expect(model).toBeInstanceOf(ModelRouterLanguageModel);
  expect((model as ModelRouterLanguageModel)._getStreamTransport()).toBeUndefined();
});

/** The caller's callbacks, which note that they were called. */
function noting(who: string, told: string[]): RunOptions {
  const note = (what: string) => () => void told.push(`${who} ${what}`);
  return {
    prepareStep: note("prepareStep"),
    onStepFinish: note("onStepFinish"),
    onIterationComplete: note("onIterationComplete"),
    onChunk: note("onChunk"),
    onFinish: note("onFinish"),
    onError: note("onError"),
    onAbort: note("onAbort"),
  };
}

describe.each([
  ["generate()", (agent: Agent, options: RunOptions) => agent.generate("go", options)],
  [
    "stream()",
    async (agent: Agent, options: RunOptions) => {
      const stream = await agent.stream("go", options);
      await stream.consumeStream();
      return stream;
    },
  ],
])("%s and the agent's default options", (_, run) => {
  const agentWith = (defaultOptions: AgentConfig["defaultOptions"], script = callsOnce) => {
    const { requests, model } = scripted(script);
    return {
      requests,
      agent: scriptedAgent({ model, execute: () => {}, ...(defaultOptions && { defaultOptions }) }),
    };
  };

  test("their callbacks are called as without limits, and those of the call go first", async () => {
    const alone: string[] = [];
    await run(agentWith(noting("default", alone) as never).agent, {});
    expect(new Set(alone)).toContain("default prepareStep");

    const told: string[] = [];
    await run(agentWith(noting("default", told) as never).agent, limitAgent({ turns: 5 }).options());
    expect(told).toEqual(alone);

    const both: string[] = [];
    const { onFinish } = noting("call", both) as Required<RunOptions>;
    const defaults = noting("default", both) as never;
    await run(agentWith(defaults).agent, limitAgent({ turns: 5 }).options({ onFinish }));
    expect(both).toEqual(alone.map((word) => word.replace("default onFinish", "call onFinish")));
  });

  test("they are asked for once", async () => {
    let asked = 0;
    const { agent } = agentWith(() => {
      asked += 1;
      return {};
    });
    await run(agent, limitAgent({ turns: 5 }).options());
    expect(asked).toBe(1);
  });

  test("a stop condition of theirs still applies", async () => {
    const { agent, requests } = agentWith({ maxSteps: 2 }, () => ({ calls: 1 }));
    await run(agent, limitAgent({ turns: 5 }).options());
    expect(requests).toHaveLength(2);
  });

  test.each(["once", "for each run"])("limits can be in them, made %s", async (made) => {
    const limits = limitAgent({ turns: 3 });
    const once = limits.options();
    const { agent, requests } = agentWith((made === "once" ? once : () => limits.options()) as never, () => ({
      calls: 1,
    }));
    const told: string[] = [];
    const results = await Promise.all([run(agent, noting("call", told)), run(agent, {})]);
    expect(requests).toHaveLength(6);
    expect(results.map((result) => limits.outcomeOf(result)?.turns)).toEqual([3, 3]);
    expect(told).toContain("call onFinish");
  });

  test("how a run ended is known by what was returned for it", async () => {
    const limits = limitAgent({ turns: 3 });
    const { agent } = agentWith({}, ({ index }) => (index > 4 ? { text: "done" } : { calls: 1 }));
    const first = await run(agent, limits.options());
    const second = await run(agent, limits.options());
    expect(limits.outcomeOf(first)).toMatchObject({ kind: "stopped", turns: 3 });
    expect(limits.outcomeOf(second)).toMatchObject({ kind: "completed", turns: 2 });
    expect(limits.outcome).toBe(limits.outcomeOf(second));
    for (const other of [undefined, null, "", {}, await run(agent, {})]) {
      expect(limits.outcomeOf(other)).toBeUndefined();
    }
  });
});

test("how a stream ended is not known before it has", async () => {
  const { model } = scripted(callsOnce);
  const limits = limitAgent({ turns: 3 });
  const stream = await scriptedAgent({ model, execute: () => {} }).stream("go", limits.options());
  expect(limits.outcomeOf(stream)).toBeUndefined();
  await stream.consumeStream();
  expect(limits.outcomeOf(stream)).toMatchObject({ kind: "completed" });
});

test("who is told of a run knows its id and its request context", async () => {
  const { model } = scripted(callsOnce);
  const agent = scriptedAgent({ model, execute: () => {} });
  const runs: RunInfo[] = [];
  const limits = limitAgent({ onOutcome: (_, run) => void runs.push(run) });
  const requestContext = new RequestContext([["user", "1"]]);
  await agent.generate("go", limits.options({ runId: "run-1", requestContext }));
  await agent.generate("go", limits.options());
  expect(runs[0]).toMatchObject({ id: "run-1", context: requestContext });
  expect(runs[0]?.context).toBe(requestContext);
  expect([...requestContext.keys()]).not.toContain(expect.stringContaining("turn-limit"));
  expect(runs[1]).toMatchObject({ id: expect.any(String), context: undefined });
});

test("a price can depend on the model", async () => {
  const { model } = scripted(callsOnce);
  const priced: unknown[] = [];
  const limits = limitAgent({
    price(_usage, model) {
      priced.push(model);
      return 0.5;
    },
  });
  await scriptedAgent({ model, execute: () => {} }).generate("go", limits.options());
  expect(priced).toEqual(Array(2).fill({ id: "mock-model-id", provider: "mock-provider" }));
  expect(limits.outcome).toMatchObject({ usage: { cost: 1 } });
});

for (const [what, price] of [
  ["throws", () => raise(new Error("no such price"))],
  ["is no amount", () => -1],
] as const) {
  test(`a price that ${what} ends the run with that error, before another request`, async () => {
    for (const run of ["generate", "stream"] as const) {
      const warnings: string[] = [];
      const { model, requests } = scripted(() => ({ calls: 1 }));
      const agent = scriptedAgent({ model, execute: () => {} });
      const limits = limitAgent({
        tokens: 1_000_000,
        cost: 5,
        price,
        onWarning: (text) => warnings.push(text),
      });
      let error: unknown;
      if (run === "generate") error = await agent.generate("go", limits.options()).catch((thrown) => thrown);
      else {
        const stream = await agent.stream("go", limits.options());
        await stream.consumeStream();
        error = stream.error;
      }
      if (what === "throws") expect(error).toMatchObject({ message: "no such price" });
      else expect(error).toSatisfy(isInvalidLimit);
      expect(requests).toHaveLength(1);
      expect(warnings).toEqual([]);
      expect(limits.outcome).toMatchObject({ kind: "failed", turns: 1 });
    }
  });
}

test("a run ends with its last answer, also if that has a price that is no number", async () => {
  const { model, requests } = scripted(() => ({ text: "done" }));
  const limits = limitAgent({ cost: 5, price: () => Number.NaN });
  const { text } = await scriptedAgent({ model, execute: () => {} }).generate("go", limits.options());
  expect(text).toBe("done");
  expect(requests).toHaveLength(1);
  expect(limits.outcome).toMatchObject({ turns: 1 });
});

function raise(error: Error): never {
  throw error;
}

describe("memory", () => {
  test.each([
    ["the wrap-up", { turns: { max: 3, grace: 2 } }, DEFAULT_WRAP_UP_MESSAGE],
    ["the turn without tools", { turns: { max: 1, onExhausted: "synthesize" } }, DEFAULT_SYNTHESIS_MESSAGE],
  ] as const)("does not keep what the model was told for %s", async (_, options, message) => {
    const told = ({ texts }: SeenRequest) => texts.some((text) => text.includes(message));
    const { requests, model } = scripted((request) => (told(request) ? { text: "partial" } : { calls: 1 }));
    const memory = new MockMemory();
    const agent = scriptedAgent({ model, execute: () => {}, memory });
    const limits = limitAgent(options);
    const thread = { thread: "thread", resource: "user" };
    for (const _prompt of [1, 2]) await agent.generate("go", limits.options({ memory: thread }));
    expect(requests.map(told)).toEqual([false, true, false, true]);
    const { messages } = await memory.recall({ threadId: "thread", resourceId: "user", hideSignals: false });
    expect(JSON.stringify(messages)).toContain("partial");
    expect(JSON.stringify(messages)).not.toContain(message);
  });

  test("nor does a stream show it", async () => {
    const { model } = scripted(() => ({ calls: 1 }));
    const limits = limitAgent({ turns: { max: 3, grace: 2 } });
    const stream = await scriptedAgent({ model, execute: () => {} }).stream("go", limits.options());
    const chunks: unknown[] = [];
    for await (const chunk of stream.fullStream) chunks.push(chunk);
    const shown = chunks.filter((chunk) => (chunk as { type: string }).type.startsWith("data-"));
    expect(shown).toEqual([]);
  });
});

describe("approvals", () => {
  const twoThenOne: Scenario["model"] = ({ index }) =>
    index === 1 ? { calls: 2 } : index === 2 ? { calls: 1 } : { text: "done" };

  test.each([
    ["generate()", runWithGenerate],
    ["stream()", runWithStream],
  ])(
    "%s: of calls made at once, one that is denied takes no step, and one that is approved does",
    async (_, run) => {
      const { model } = scripted(twoThenOne);
      const executed: string[] = [];
      const approve = (id: string) => id !== "r1c1";
      const agent = scriptedAgent({ model, execute: (id) => void executed.push(id), approve });
      const limits = limitAgent({ turns: 9, steps: { max: 1, onExhausted: "refuse" } });
      const { text } = await run(agent, [], limits.options(), approve);
      expect(text).toBe("done");
      expect(executed).toEqual(["r1c2"]);
      expect(limits.outcome).toMatchObject({ kind: "completed", turns: 3, steps: 1 });
    },
  );

  test("a run that is resumed goes on with the budget that it has, whatever options of the limits it is given", async () => {
    const { requests, model } = scripted(() => ({ calls: 1 }));
    const approve = () => true;
    const agent = scriptedAgent({ model, execute: () => {}, approve });
    const limits = limitAgent({ turns: 3 });
    let result: { finishReason?: string | undefined; runId?: string | undefined } = await agent.generate(
      "go",
      limits.options(),
    );
    for (let times = 0; result.finishReason === "suspended" && times < 9; times += 1) {
      result = await agent.approveToolCallGenerate({ ...limits.options(), runId: result.runId ?? "" });
    }
    expect(requests).toHaveLength(3);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 3, steps: 3 });
    expect(limits.outcomeOf(result)).toBe(limits.outcome);
  });

  test("a run that is resumed without options of the limits is still under them", async () => {
    const { requests, model } = scripted(() => ({ calls: 1 }));
    const agent = scriptedAgent({ model, execute: () => {}, approve: () => true });
    const limits = limitAgent({ turns: 3 });
    let result: { finishReason?: string | undefined; runId?: string | undefined } = await agent.generate(
      "go",
      limits.options(),
    );
    for (let times = 0; result.finishReason === "suspended" && times < 9; times += 1) {
      result = await agent.approveToolCallGenerate({ runId: result.runId ?? "" });
    }
    expect(requests).toHaveLength(3);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "turns", turns: 3, steps: 3 });
  });

  /** A tool that asks a person, and does the work when it is resumed. */
  const asking = (resumed: (signal: AbortSignal | undefined) => unknown) =>
    createTool({
      id: "work",
      description: "Asks a person",
      inputSchema: z.object({ id: z.string() }),
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ approved: z.boolean() }),
      execute: async (_, { agent, abortSignal }) => {
        if (!agent?.resumeData) return agent?.suspend?.({ question: "May I?" });
        return resumed(abortSignal);
      },
    });

  test("a tool that waits for a person and is resumed takes one step", async () => {
    const { model } = scripted(callsOnce);
    const work = asking(() => "done");
    const agent = scriptedAgent({ model, execute: () => {}, approve: () => true, tools: { work } });
    const limits = limitAgent({ turns: 5, steps: 1 });
    const first = await agent.generate("go", limits.options());
    const { text } = await agent.resumeGenerate(
      { approved: true },
      { ...limits.options(), runId: first.runId ?? "" },
    );
    expect(text).toBe("done");
    expect(limits.outcome).toMatchObject({ kind: "completed", turns: 2, steps: 1 });
  });

  test("a tool that hangs after it was resumed is cut off when the time is up", async () => {
    const clock = new ManualClock();
    const { requests, model } = scripted(callsOnce);
    const told: unknown[] = [];
    const work = asking((signal) => {
      signal?.addEventListener("abort", () => told.push(signal.reason));
      return clock.hang(5_000);
    });
    const agent = scriptedAgent({ model, execute: () => {}, approve: () => true, tools: { work } });
    const limits = limitAgent({ time: 5_000, clock });
    const first = await agent.generate("go", limits.options());
    clock.pass(HOUR);
    await agent.resumeGenerate({ approved: true }, { ...limits.options(), runId: first.runId ?? "" });
    expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining("time limit") })]);
    expect(requests).toHaveLength(1);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time", time: 5_000 });
  });

  test("a tool that hangs after it was resumed leaves the answer without tools to be made", async () => {
    const clock = new ManualClock();
    const { requests, model } = scripted(({ tools }) =>
      tools.length > 0 ? { calls: 1 } : { text: "partial" },
    );
    const work = asking(() => clock.hang(5_000));
    const agent = scriptedAgent({ model, execute: () => {}, approve: () => true, tools: { work } });
    const limits = limitAgent({ time: { max: 5_000, onExhausted: "synthesize" }, clock });
    const first = await agent.generate("go", limits.options());
    const { text } = await agent.resumeGenerate(
      { approved: true },
      { ...limits.options(), runId: first.runId ?? "" },
    );
    expect(text).toBe("partial");
    expect(requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
    expect(limits.outcome).toMatchObject({ kind: "salvaged", limit: "time", turns: 2, steps: 1 });
  });
});

test("the host says of a stream whether it waits for a person", async () => {
  const statuses: unknown[] = [];
  const { model } = scripted(callsOnce);
  const agent = scriptedAgent({ model, execute: () => {}, approve: () => true });
  const stream = await agent.stream("go", limitAgent().options());
  statuses.push(stream.status);
  await stream.consumeStream();
  statuses.push(stream.status);
  expect(statuses).toEqual(["running", "suspended"]);
});

test.each([[null], [[]]])("options that are not an object are refused: %j", (options) => {
  expect(() => limitAgent(options as never)).toThrow(/^options must be an object with limits, not /);
});

test("a durable agent that a Mastra instance has is not run without limits", async () => {
  const { requests, model } = scripted(() => ({ calls: 1 }));
  const agent = scriptedAgent({ model, execute: () => {}, durable: true });
  const mastra = new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  const limits = limitAgent({ turns: 3 });
  await expect(mastra.getAgent("agent").generate("go", limits.options())).rejects.toThrow(/durable agent/);
  expect(requests).toEqual([]);
});

test("an agent of a class that the adapter does not know is not run without limits", async () => {
  const { requests, model } = scripted(() => ({ calls: 1 }));
  const { Agent: Other } = createRequire(import.meta.url)("@mastra/core/agent") as { Agent: typeof Agent };
  const agent = new Other({
    id: "worker",
    name: "worker",
    instructions: "You work.",
    model: model as unknown as MastraLanguageModel,
  });
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  await expect(agent.generate("go", limitAgent({ turns: 3 }).options())).rejects.toThrow(/installed twice/);
  log.mockRestore();
  expect(requests).toEqual([]);
});
