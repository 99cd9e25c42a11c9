import {
  Agent,
  defineToolInputGuardrail,
  getDefaultModel,
  MaxTurnsExceededError,
  type Model,
  OpenAIProvider,
  RunContext,
  Runner,
  retryPolicies,
  ToolGuardrailFunctionOutputFactory,
  tool,
  Usage,
  webSearchTool,
} from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { type AdapterOptions, type LimitedRuns, limitRuns } from "../../src/adapters/openai-agents/index.ts";
import { isInvalidLimit } from "../../src/core/errors/invalid-limit.ts";
import { isUnsupportedOption } from "../../src/core/errors/unsupported-option.ts";
import { Meter } from "../../src/core/meter/meter.ts";
import type { RunControl } from "../../src/run/run.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { callId, type ModelReply, type SeenRequest } from "../../src/testing/scripted-host.ts";
import { failingProvider } from "../helpers/failing-provider.ts";
import { orphansIn, quickRunner, scripted, workTool } from "../hosts/openai-agents.ts";

const untilTurn =
  (last: number) =>
  ({ index }: SeenRequest): ModelReply =>
    index >= last ? { text: "done" } : { calls: 1 };

type Run = LimitedRuns["run"];
type Execute = (id: string, context: RunContext | undefined, signal: AbortSignal | undefined) => unknown;

function worker(execute: Execute, needsApproval = false) {
  return tool({
    name: "work",
    description: "Works.",
    parameters: z.object({ id: z.string() }),
    needsApproval,
    async execute({ id }, context, details) {
      const result = await execute(id, context as RunContext | undefined, details?.signal);
      return typeof result === "string" ? result : "done";
    },
  });
}

function setUp(options: AdapterOptions, model: (request: SeenRequest) => ModelReply) {
  const requests: SeenRequest[] = [];
  const limits = limitRuns(options, quickRunner(scripted(model, requests)));
  return { limits, requests };
}

describe.each([
  ["responses", true],
  ["chat completions", false],
])("the provider's own client, with %s", (_, useResponses) => {
  test.each([false, true])(
    "makes no request that the limit does not cover, streaming: %s",
    async (stream) => {
      await using provider = await failingProvider();
      const modelProvider = new OpenAIProvider({ apiKey: "key", baseURL: provider.address, useResponses });
      const retry = {
        maxRetries: 5,
        policy: retryPolicies.httpStatus([503]),
        backoff: { initialDelayMs: 0 },
      };
      const runner = new Runner({ modelProvider, tracingDisabled: true, modelSettings: { retry } });
      const limits = limitRuns({ requests: 3 }, runner);
      const agent = new Agent({ name: "Worker", model: "gpt-5" });

      if (stream) await (await limits.run(agent, "go", { stream })).completed;
      else await limits.run(agent, "go");

      expect(provider.requests).toBe(3);
      expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "requests", turns: 1 });
    },
  );

  test("makes a request again by itself where requests are not limited", async () => {
    await using provider = await failingProvider();
    const modelProvider = new OpenAIProvider({ apiKey: "key", baseURL: provider.address, useResponses });
    const limits = limitRuns({ turns: 3 }, new Runner({ modelProvider, tracingDisabled: true }));

    await expect(limits.run(new Agent({ name: "Worker", model: "gpt-5" }), "go")).rejects.toThrow(
      "overloaded",
    );

    expect(provider.requests).toBe(3);
    expect(limits.outcome).toMatchObject({ kind: "failed", turns: 1 });
  });
});

for (const stream of [false, true]) {
  test(`the time in which a call waits for approval does not count, ${stream ? "" : "not "}streaming`, async () => {
    const clock = new ManualClock();
    const { limits } = setUp({ time: 5_000, clock }, (request) => {
      clock.pass(1_000);
      return untilTurn(3)(request);
    });
    const agent = new Agent({ name: "Worker", tools: [worker(() => clock.pass(500), true)] });
    const run = async (input: Parameters<typeof limits.run>[1]) => {
      const result = stream
        ? await limits.run(agent, input, { stream: true })
        : await limits.run(agent, input);
      if ("completed" in result) await result.completed;
      return result;
    };
    let result = await run("go");
    for (let waits = 0; result.interruptions.length > 0; waits += 1) {
      expect(waits).toBeLessThan(3);
      expect(result.outcome).toBeUndefined();
      clock.pass(3_600_000);
      for (const call of result.interruptions) result.state.approve(call);
      result = await run(result.state);
    }
    expect(result.finalOutput).toBe("done");
    expect(result.outcome).toMatchObject({ kind: "completed", turns: 3, steps: 2, time: 4_000 });
  });
}

test("an agent given as a tool whose call waited for approval is not called once too often", async () => {
  const { limits } = setUp({ steps: 5 }, untilTurn(2));
  const inner = new Agent({
    name: "Inner",
    model: scripted(untilTurn(2), []),
    tools: [worker(() => {}, true)],
  });
  const asTool = inner.asTool({
    toolName: "work",
    toolDescription: "Works.",
    parameters: z.object({ id: z.string() }),
  });
  const agent = new Agent({ name: "Outer", tools: [asTool] });
  const first = await limits.run(agent, "go");
  expect(first.interruptions).toHaveLength(1);
  for (const call of first.interruptions) first.state.approve(call);
  const result = await limits.run(agent, first.state);
  expect(result.finalOutput).toBe("done");
  expect(result.outcome).toMatchObject({ kind: "completed", turns: 4, steps: 2 });
});

describe("an agent given as a tool", () => {
  const untilToolsAreGone = ({ tools }: SeenRequest): ModelReply =>
    tools.length > 0 ? { calls: 1 } : { text: "partial" };

  // With parameters of its own the host gives it another context than without.
  for (const own of [false, true]) {
    const given = { toolName: "work", toolDescription: "Works." };
    const withAgent = (helper: Agent) =>
      new Agent({
        name: "Outer",
        tools: [
          own ? helper.asTool({ ...given, parameters: z.object({ id: z.string() }) }) : helper.asTool(given),
        ],
      });
    const name = own ? "with parameters of its own" : "with the host's parameters";

    for (const onExhausted of ["stop", "raise", "synthesize"] as const) {
      test(`spends the turns of the run that calls it, ${name}: ${onExhausted}`, async () => {
        const { limits, requests } = setUp({ turns: { max: 3, onExhausted } }, untilToolsAreGone);
        const executed: string[] = [];
        const helper = new Agent({ name: "Helper", tools: [worker((id) => executed.push(id))] });
        const run = limits.run(withAgent(helper), "go").catch((error: unknown) => error);
        const ended = await run;
        const expected = { stop: [1, 1, 1], raise: [1, 1, 1], synthesize: [1, 1, 1, 0] }[onExhausted];
        expect(requests.map(({ tools }) => tools.length)).toEqual(expected);
        expect(executed).toHaveLength(2);
        const kind = onExhausted === "synthesize" ? "salvaged" : "stopped";
        expect(limits.outcome).toMatchObject({ kind, limit: "turns", turns: expected.length, steps: 3 });
        if (onExhausted === "raise") expect(ended).toMatchObject({ name: "LimitExceeded", limit: "turns" });
        else expect(ended).toMatchObject({ finalOutput: onExhausted === "stop" ? "" : "partial" });
      });
    }
  }

  test("is limited in each of its calls, also if they work at the same time", async () => {
    const { limits, requests } = setUp({ turns: 7 }, ({ index }) => ({ calls: index === 1 ? 3 : 1 }));
    const helper = new Agent({ name: "Helper", tools: [worker(() => {})] });
    const work = helper.asTool({ toolName: "work", parameters: z.object({ id: z.string() }) });
    const { outcome } = await limits.run(new Agent({ name: "Outer", tools: [work] }), "go");
    expect(requests).toHaveLength(7);
    expect(outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 7 });
  });

  test("hands over within the run that calls it", async () => {
    const model = scripted(() => ({ calls: 1 }), []);
    const second = new Agent({ name: "Second", model, tools: [worker(() => {})] });
    const usage = new Usage();
    const handsOver = new ScriptedModel([
      { usage, output: [functionCall("transfer_to_Second", {}, { callId: "h" })] },
    ]);
    const first = new Agent({ name: "First", model: handsOver, handoffs: [second] });
    const work = first.asTool({ toolName: "work", parameters: z.object({ id: z.string() }) });
    const { limits, requests } = setUp({ turns: 5 }, untilTurn(9));
    const { outcome } = await limits.run(new Agent({ name: "Outer", tools: [work] }), "go");
    expect(requests).toHaveLength(1);
    expect(outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 5, steps: 4 });
  });

  test("is cut off with the call that runs it, and the run ends with an answer", async () => {
    const clock = new ManualClock();
    const { limits, requests } = setUp(
      { time: { max: 5_000, onExhausted: "synthesize" }, clock },
      untilToolsAreGone,
    );
    const stalling = scripted(() => {
      void clock.hang(5_000);
      return { stalls: true };
    }, []);
    const helper = new Agent({ name: "Helper", model: stalling });
    const work = helper.asTool({ toolName: "work", parameters: z.object({ id: z.string() }) });
    const result = await limits.run(new Agent({ name: "Outer", tools: [work] }), "go");
    expect(result.finalOutput).toBe("partial");
    expect(requests).toHaveLength(2);
    expect(result.outcome).toMatchObject({ kind: "salvaged", limit: "time", turns: 3 });
  });

  test("is cut off in the same way after its call waited for approval", async () => {
    const clock = new ManualClock();
    const { limits, requests } = setUp(
      { time: { max: 5_000, onExhausted: "synthesize" }, clock },
      untilToolsAreGone,
    );
    const model = scripted(({ index }) => {
      if (index === 1) return { calls: 1 };
      void clock.hang(5_000);
      return { stalls: true };
    }, []);
    const helper = new Agent({ name: "Helper", model, tools: [worker(() => {}, true)] });
    const work = helper.asTool({ toolName: "work", parameters: z.object({ id: z.string() }) });
    Object.assign(work, { errorFunction: (_: unknown, { message }: Error) => `In its words: ${message}` });
    const agent = new Agent({ name: "Outer", tools: [work] });
    const { state, interruptions } = await limits.run(agent, "go");
    for (const call of interruptions) state.approve(call);
    const result = await limits.run(agent, state);
    expect(result.finalOutput).toBe("partial");
    expect(requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
    expect(requests.at(-1)?.texts.join()).toContain("In its words: Cut off");
    expect(result.outcome).toMatchObject({ kind: "salvaged", limit: "time", turns: 4, steps: 2 });
  });

  test("works as before where nothing is limited", async () => {
    limitRuns({ turns: 1 });
    const helper = new Agent({ name: "Helper", tools: [worker(() => {})] });
    const work = helper.asTool({ toolName: "work", parameters: z.object({ id: z.string() }) });
    const requests: SeenRequest[] = [];
    const model = ({ index }: SeenRequest): ModelReply => (index >= 4 ? { text: "done" } : { calls: 1 });
    const { finalOutput } = await quickRunner(scripted(model, requests)).run(
      new Agent({ name: "Outer", tools: [work] }),
      "go",
    );
    expect(finalOutput).toBe("done");
    expect(requests).toHaveLength(5);
  });
});

test("a tool call that is cut off is told so by its signal", async () => {
  const clock = new ManualClock();
  const { limits } = setUp({ time: 5_000, clock }, untilTurn(9));
  let told: AbortSignal | undefined;
  const hang: Execute = (_id, _context, signal) => {
    told = signal;
    return clock.hang(5_000);
  };
  const { outcome } = await limits.run(new Agent({ name: "Worker", tools: [worker(hang)] }), "go");
  expect(told?.aborted).toBe(true);
  expect(outcome).toMatchObject({ kind: "stopped", limit: "time" });
});

test("a sub-agent whose request stalls ends with the call that runs it, and the run with an answer", async () => {
  const clock = new ManualClock();
  const { limits, requests } = setUp(
    { time: { max: 5_000, onExhausted: "synthesize" }, clock },
    ({ tools }) => (tools.length === 0 ? { text: "partial" } : { calls: 1 }),
  );
  let ended: Promise<unknown> | undefined;
  const stalling = scripted(() => {
    void clock.hang(5_000);
    return { stalls: true };
  }, []);
  const delegate: Execute = (_id, context) => {
    const subAgent = new Agent({ name: "Helper", model: stalling });
    ended = limits.run(subAgent, "work", context && { context }).catch((error: unknown) => error);
    return ended;
  };
  const agent = new Agent({ name: "Worker", tools: [worker(delegate)] });
  const { finalOutput, outcome } = await limits.run(agent, "go");
  expect(finalOutput).toBe("partial");
  expect(requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
  expect(outcome).toMatchObject({ kind: "salvaged", limit: "time" });
  expect(await ended).toBeInstanceOf(Error);
});

test("a run whose request is cut off rejects with what the other limits end a run with", async () => {
  const clock = new ManualClock();
  const { limits } = setUp({ time: 5_000, clock }, () => {
    void clock.hang(5_000);
    return { stalls: true };
  });
  const run = limits.run(new Agent({ name: "Worker" }), "go");
  await expect(run).rejects.toBeInstanceOf(MaxTurnsExceededError);
  expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time", turns: 1 });
});

describe("a model that ignores its signal", () => {
  const never = () => new Promise<never>(() => {});

  function deaf(clock: ManualClock): Model {
    const hang = () => {
      void clock.hang(5_000);
      return never();
    };
    return Object.freeze({
      getResponse: hang,
      async *getStreamedResponse() {
        yield { type: "response_started" as const };
        yield await hang();
      },
    });
  }

  type Named = { agent: Agent; runner: Runner };
  const tracingDisabled = true;
  const named: Record<string, (model: Model) => Named> = {
    "the agent's": (model) => ({
      agent: new Agent({ name: "Worker", model }),
      runner: new Runner({ tracingDisabled }),
    }),
    "the runner's": (model) => ({
      agent: new Agent({ name: "Worker" }),
      runner: new Runner({ model, tracingDisabled }),
    }),
    "the provider's": (model) => ({
      agent: new Agent({ name: "Worker", model: "deaf" }),
      runner: new Runner({ modelProvider: { getModel: () => model }, tracingDisabled }),
    }),
  };

  for (const [whose, make] of Object.entries(named)) {
    for (const onExhausted of ["stop", "synthesize", "raise"] as const) {
      test(`is cut off when the time is up: ${whose}, ${onExhausted}`, async () => {
        const clock = new ManualClock();
        const { agent, runner } = make(deaf(clock));
        const limits = limitRuns({ time: { max: 5_000, onExhausted }, clock }, runner);
        const error: unknown = await limits.run(agent, "go").catch((error: unknown) => error);
        if (onExhausted === "raise") expect(error).toMatchObject({ name: "LimitExceeded", limit: "time" });
        else expect(error).toBeInstanceOf(MaxTurnsExceededError);
        expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time", turns: 1 });
      });

      test(`is cut off in a stream, too: ${whose}, ${onExhausted}`, async () => {
        const clock = new ManualClock();
        const { agent, runner } = make(deaf(clock));
        const limits = limitRuns({ time: { max: 5_000, onExhausted }, clock }, runner);
        const result = await limits.run(agent, "go", { stream: true });
        if (onExhausted === "raise") {
          await expect(result.completed).rejects.toMatchObject({ name: "LimitExceeded", limit: "time" });
        } else {
          await result.completed;
          expect(result.cancelled).toBe(true);
        }
        await expect.poll(() => result.outcome).toMatchObject({ kind: "stopped", limit: "time", turns: 1 });
      });
    }
  }

  test("is cut off with the agent that has it as a tool, and the run ends with an answer", async () => {
    const clock = new ManualClock();
    const { limits, requests } = setUp(
      { time: { max: 5_000, onExhausted: "synthesize" }, clock },
      ({ tools }) => (tools.length === 0 ? { text: "partial" } : { calls: 1 }),
    );
    const helper = new Agent({ name: "Helper", model: deaf(clock) });
    const asTool = helper.asTool({ toolName: "work", toolDescription: "Works." });
    const result = await limits.run(new Agent({ name: "Worker", tools: [asTool] }), "go");
    expect(result.finalOutput).toBe("partial");
    expect(requests).toHaveLength(2);
    expect(result.outcome).toMatchObject({ kind: "salvaged", limit: "time" });
  });
});

for (const classBased of [false, true]) {
  test(`a tool ${classBased ? "of a class " : ""}is the same outside of its calls`, async () => {
    const executed: string[] = [];
    const work = workTool({ classBased }, async (id) => String(executed.push(id)));
    const { invoke } = work;
    const own = Reflect.ownKeys(work);
    const { limits } = setUp({ tools: { work: 3 } }, untilTurn(3));
    await limits.run(new Agent({ name: "Worker", tools: [work] }), "go");
    expect(executed).toHaveLength(2);
    expect(work.invoke).toBe(invoke);
    expect(Reflect.ownKeys(work)).toEqual(own);
  });
}

test("calls whose arguments are only written in another way are the same", async () => {
  const written = ['{"id":"a"}', '{ "id": "a" }', '{"id":  "a"}'];
  const usage = new Usage();
  const calls = written.map((args, n) => ({
    usage,
    output: [functionCall("work", args, { callId: `c${n}` })],
  }));
  const model = new ScriptedModel([...calls, { usage, output: [assistantMessage("done")] }]);
  const executed: string[] = [];
  const work = worker((id) => executed.push(id));
  const limits = limitRuns({ repeats: 2 }, quickRunner(model));
  const { outcome } = await limits.run(new Agent({ name: "Worker", tools: [work] }), "go");
  expect(executed).toEqual(["a", "a"]);
  expect(outcome).toMatchObject({ kind: "completed", intervened: true });
});

test("a limit for a tool that the provider runs is refused", async () => {
  const { limits } = setUp({ tools: { web_search: 3 } }, untilTurn(3));
  const agent = new Agent({ name: "Worker", tools: [webSearchTool()] });
  await expect(limits.run(agent, "go")).rejects.toSatisfy(isUnsupportedOption);
});

test("a request too many does not reach the model, and the run ends as at any other limit", async () => {
  const { limits, requests } = setUp({ turns: 2 }, () => ({ calls: 1 }));
  const counter = vi.spyOn(Meter.prototype, "turn").mockImplementation(() => true);
  const agent = new Agent({ name: "Worker", tools: [worker(() => {})] });
  const { finalOutput, outcome } = await limits.run(agent, "go").finally(() => counter.mockRestore());
  expect(requests).toHaveLength(2);
  expect(finalOutput).toBe("");
  expect(outcome).toMatchObject({ kind: "limit-overrun" });
});

test("a limit of one's own for a tool that the provider runs is refused, too", async () => {
  const searches = { name: "searches", tool: "web_search", max: 3, used: () => 0 };
  const { limits } = setUp({ limits: [searches] }, untilTurn(3));
  const agent = new Agent({ name: "Worker", tools: [webSearchTool()] });
  await expect(limits.run(agent, "go")).rejects.toMatchObject({ option: "searches" });
});

describe("a limit that raises", () => {
  const stalling = (clock: ManualClock) => {
    void clock.hang(5_000);
    return { stalls: true } as const;
  };
  const time = { max: 5_000, onExhausted: "raise" } as const;
  const exceeded = expect.objectContaining({ name: "LimitExceeded", limit: "time", max: 5_000 });

  test("makes the run reject with its error and the state to go on from", async () => {
    const { limits, requests } = setUp({ turns: { max: 2, onExhausted: "raise" } }, untilTurn(4));
    const agent = new Agent({ name: "Worker", tools: [worker(() => {})] });
    const error = await limits.run(agent, "go").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "LimitExceeded", limit: "turns", used: 2, max: 2 });
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "turns" });
    const { finalOutput } = await limits.run(agent, (error as { state: Parameters<Run>[1] }).state);
    expect(finalOutput).toBe("done");
    expect(requests).toHaveLength(4);
  });

  test("makes a run whose request is cut off reject with its error", async () => {
    const clock = new ManualClock();
    const { limits } = setUp({ time, clock }, () => stalling(clock));
    await expect(limits.run(new Agent({ name: "Worker" }), "go")).rejects.toEqual(exceeded);
    expect(limits.outcome).toMatchObject({ kind: "stopped", limit: "time", turns: 1 });
  });

  test("makes a stream whose request is cut off fail with its error", async () => {
    const clock = new ManualClock();
    const { limits } = setUp({ time, clock }, () => stalling(clock));
    const result = await limits.run(new Agent({ name: "Worker" }), "go", { stream: true });
    const read = async () => {
      for await (const _ of result);
    };
    await expect(read()).rejects.toEqual(exceeded);
    await expect(result.completed).rejects.toEqual(exceeded);
    expect(result.cancelled).toBe(false);
    expect(result.error).toEqual(exceeded);
    expect(result.outcome).toMatchObject({ kind: "stopped", limit: "time", turns: 1 });
  });
});

for (const stream of [false, true]) {
  test(`a model that calls a tool in the tools-free turn is stopped without an error, ${stream ? "" : "not "}streaming`, async () => {
    const { limits, requests } = setUp({ steps: { max: 1, onExhausted: "synthesize" } }, () => ({
      calls: 2,
    }));
    const agent = new Agent({ name: "Worker", tools: [worker(() => {})] });
    const result = stream ? await limits.run(agent, "go", { stream: true }) : await limits.run(agent, "go");
    if ("completed" in result) await result.completed;
    expect(requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
    expect(orphansIn(result.history)).toBe(0);
    expect(result.finalOutput).toBe("");
    expect(result.outcome).toMatchObject({ kind: "stopped", limit: "steps", steps: 1 });
  });
}

test("calls beyond a limit that refuses are refused, and the run goes on", async () => {
  const { limits, requests } = setUp({ steps: { max: 1, onExhausted: "refuse" } }, untilTurn(4));
  const result = await limits.run(new Agent({ name: "Worker", tools: [worker(() => {})] }), "go");
  expect(result.finalOutput).toBe("done");
  expect(requests.at(-1)?.texts.join()).toContain("step limit is reached (1/1)");
  expect(result.outcome).toMatchObject({ kind: "completed", turns: 4, steps: 1 });
});

test("a limit that is changed while a run streams holds at once, and a person is still asked", async () => {
  const asked: string[] = [];
  const { limits, requests } = setUp(
    {
      turns: 9,
      ask: ({ limit, used, max }) => {
        asked.push(`${limit} ${used}/${max}`);
        return false;
      },
    },
    untilTurn(9),
  );
  let running: RunControl | undefined;
  const agent = new Agent({ name: "Worker", tools: [worker(() => running?.configure({ turns: 2 }))] });
  const result = await limits.run(agent, "go", { stream: true });
  running = result.limits;
  await result.completed;
  expect(requests).toHaveLength(2);
  expect(asked).toEqual(["turns 2/2"]);
  expect(result.outcome).toMatchObject({ kind: "declined", maxTurns: 2 });
});

test("a time limit that is set during a run counts from then on", async () => {
  const clock = new ManualClock();
  const { limits, requests } = setUp({ clock }, untilTurn(4));
  let running: RunControl | undefined;
  const work = worker((id) => {
    clock.pass(3_000);
    if (id === callId(1, 1)) running?.configure({ time: 5_000 });
  });
  const result = await limits.run(new Agent({ name: "Worker", tools: [work] }), "go", { stream: true });
  running = result.limits;
  await result.completed;
  expect(requests).toHaveLength(3);
  expect(result.outcome).toMatchObject({ kind: "stopped", limit: "time", time: 9_000 });
});

test("a limit that is changed while a call waits for approval holds when the run is resumed", async () => {
  const { limits, requests } = setUp({ turns: 9 }, () => ({ calls: 1 }));
  const agent = new Agent({ name: "Worker", tools: [worker(() => {}, true)] });
  const first = await limits.run(agent, "go");
  first.limits.configure({ turns: { max: 1, onExhausted: "synthesize" } });
  for (const call of first.interruptions) first.state.approve(call);
  const result = await limits.run(agent, first.state);
  expect(requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
  expect(result.finalOutput).toBe("");
  expect(result.outcome).toMatchObject({ kind: "stopped", limit: "turns", turns: 2 });
});

test("a question is withdrawn when the run is aborted", async () => {
  const abort = new AbortController();
  let asked: AbortSignal | undefined;
  const { limits, requests } = setUp(
    {
      turns: 1,
      ask: (_question, signal) => {
        asked = signal;
        abort.abort();
        return new Promise(() => {});
      },
    },
    untilTurn(9),
  );
  const agent = new Agent({ name: "Worker", tools: [worker(() => {})] });
  await limits.run(agent, "go", { signal: abort.signal }).catch(() => {});
  expect(requests).toHaveLength(1);
  expect(asked?.aborted).toBe(true);
  expect(limits.outcome).toMatchObject({ kind: "aborted" });
});

describe("a run that is aborted while a person is asked", () => {
  function asking() {
    const abort = new AbortController();
    const ask = () => {
      abort.abort();
      return new Promise<never>(() => {});
    };
    const agent = new Agent({ name: "Worker", tools: [worker(() => {})] });
    return { ...setUp({ turns: 1, ask }, untilTurn(9)), agent, signal: abort.signal };
  }

  test("rejects, as an aborted run of the host does", async () => {
    const { limits, requests, agent, signal } = asking();
    await expect(limits.run(agent, "go", { signal })).rejects.toMatchObject({ name: "AbortError" });
    expect(requests).toHaveLength(1);
    expect(limits.outcome).toMatchObject({ kind: "aborted", turns: 1 });
  });

  test("is cancelled, as an aborted stream of the host is", async () => {
    const { limits, requests, agent, signal } = asking();
    const result = await limits.run(agent, "go", { signal, stream: true });
    await result.completed;
    expect(result.cancelled).toBe(true);
    expect(requests).toHaveLength(1);
    expect(result.outcome).toMatchObject({ kind: "aborted", turns: 1 });
  });
});

test("a sub-agent leaves the tools-free turn to the agent that was prompted", async () => {
  const untilToolsAreGone = ({ tools }: SeenRequest): ModelReply =>
    tools.length > 0 ? { calls: 1 } : { text: "partial" };
  const { limits, requests } = setUp({ turns: { max: 3, onExhausted: "synthesize" } }, untilToolsAreGone);
  const answers: unknown[] = [];
  const delegate: Execute = async (_id, context) => {
    const subAgent = new Agent({ name: "Helper", tools: [worker(() => {})] });
    answers.push((await limits.run(subAgent, "work", context && { context })).finalOutput);
  };
  const { finalOutput, outcome } = await limits.run(
    new Agent({ name: "Worker", tools: [worker(delegate)] }),
    "go",
  );
  expect(requests.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 0]);
  expect(answers).toEqual([""]);
  expect(finalOutput).toBe("partial");
  expect(outcome).toMatchObject({ kind: "salvaged", limit: "turns", turns: 4 });
});

for (const stream of [false, true]) {
  test(`a run ends with its last answer, also if that has a price that is no number, ${stream ? "" : "not "}streaming`, async () => {
    const { limits } = setUp({ cost: 5, price: () => Number.NaN }, untilTurn(1));
    const agent = new Agent({ name: "Worker" });
    if (stream) {
      const result = await limits.run(agent, "go", { stream: true });
      await result.completed;
    } else await expect(limits.run(agent, "go")).rejects.toSatisfy(isInvalidLimit);
    expect(limits.outcome).toMatchObject({ turns: 1 });
  });
}

describe("what cannot be run is refused with an error that says what was given", () => {
  const { limits } = setUp({ turns: 5 }, untilTurn(2));
  const agent = new Agent({ name: "Worker", tools: [] });

  test("no agent", async () => {
    await expect(limits.run(undefined as never, "go")).rejects.toThrow(
      "the agent to run must be an Agent of @openai/agents, not undefined",
    );
    await expect(limits.run({ name: "Worker" } as never, "go")).rejects.toSatisfy(isInvalidLimit);
  });

  test("a tool that is frozen, or has an invoke that cannot be set", async () => {
    const work = worker(() => {});
    const { invoke, ...rest } = work;
    const getting = Object.defineProperty({ ...rest }, "invoke", { get: () => invoke }) as typeof work;
    for (const given of [Object.freeze({ ...work }), getting]) {
      const { limits, requests } = setUp({ turns: 3 }, untilTurn(2));
      const run = limits.run(new Agent({ name: "Worker", tools: [given] }), "go");
      await expect(run).rejects.toThrow(/tool work.*"invoke" cannot be set.*copy/);
      expect(requests).toHaveLength(0);
      expect(limits.outcome).toMatchObject({ kind: "failed" });
      const copy = new Agent({ name: "Worker", tools: [{ ...given, invoke }] });
      expect((await limits.run(copy, "go")).finalOutput).toBe("done");
    }
  });

  test("an agent that is frozen", async () => {
    const { limits, requests } = setUp({ turns: 3 }, untilTurn(2));
    const frozen = new Agent({ name: "Worker", tools: [worker(() => {})] });
    Object.freeze(frozen);
    await expect(limits.run(frozen, "go")).rejects.toThrow(/agent Worker.*frozen.*clone/);
    expect(requests).toHaveLength(0);
    expect((await limits.run(frozen.clone({}), "go")).finalOutput).toBe("done");
  });

  test("no input", async () => {
    await expect(limits.run(agent, undefined as never)).rejects.toThrow(
      "the input of the run must be a text, a list of input items or a RunState, not undefined",
    );
  });

  test("a sub-agent without the context of a run", async () => {
    for (const context of [undefined, new RunContext()])
      await expect(limits.subAgent(context, agent, "go")).rejects.toThrow(
        "the run context of the sub-agent must be the one that a tool was given by a run under limits",
      );
  });

  test("a sub-agent of a run that is over", async () => {
    let kept: RunContext | undefined;
    const keeps = worker((_id, context) => {
      kept = context;
    });
    await setUp({ turns: 5 }, untilTurn(2)).limits.run(new Agent({ name: "Worker", tools: [keeps] }), "go");
    expect(kept).toBeInstanceOf(RunContext);
    await expect(limits.subAgent(kept, agent, "go")).rejects.toThrow("still under way");
  });
});

test("a sub-agent can stream, on the budget of its caller", async () => {
  const { limits, requests } = setUp({ turns: 3 }, () => ({ calls: 1 }));
  const helper = new Agent({ name: "Helper", tools: [worker(() => {})] });
  const events: string[] = [];
  const delegate: Execute = async (_id, context) => {
    const result = await limits.subAgent(context, helper, "work", { stream: true });
    for await (const { type } of result) events.push(type);
    expect(limits.outcomeOf(result)).toBeUndefined();
  };
  const result = await limits.run(new Agent({ name: "Worker", tools: [worker(delegate)] }), "go");
  expect(requests).toHaveLength(3);
  expect(events).toContain("run_item_stream_event");
  expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "turns", turns: 3 });
  expect(result.outcome).toBe(limits.outcomeOf(result));
});

test("the outcome of the last run is known when the caller is told of it", async () => {
  const known: unknown[] = [];
  const { limits } = setUp(
    { onOutcome: (outcome) => void known.push(limits.outcome === outcome) },
    untilTurn(2),
  );
  await limits.run(new Agent({ name: "Worker", tools: [worker(() => {})] }), "go");
  expect(known).toEqual([true]);
});

test("the outcome of a stream is known when it is completed", async () => {
  const { limits } = setUp({ turns: 3 }, untilTurn(2));
  const agent = new Agent({ name: "Worker", tools: [worker(() => {})] });
  const result = await limits.run(agent, "go", { stream: true });
  expect([limits.outcomeOf(result), limits.outcome]).toEqual([undefined, undefined]);
  await result.completed;
  expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", turns: 2 });
  expect(limits.outcomeOf({})).toBeUndefined();
});

test("the price is asked for the model of each answer, also after a handover and of an agent given as a tool", async () => {
  const priced: unknown[] = [];
  const usage = new Usage({ inputTokens: 10, outputTokens: 1, totalTokens: 11 });
  const says = (...output: ReturnType<typeof functionCall>[]) => ({ usage, output });
  const models: Record<string, ScriptedModel> = {
    first: new ScriptedModel([
      says(functionCall("work", { id: "a", input: "help" }, { callId: "a" })),
      says(functionCall("transfer_to_Second", {}, { callId: "b" })),
    ]),
    helper: new ScriptedModel([{ usage, output: [assistantMessage("helped")] }]),
    second: new ScriptedModel([{ usage, output: [assistantMessage("done")] }]),
  };
  const modelProvider = { getModel: (name = "") => models[name] ?? Promise.reject(new Error(name)) };
  const runner = new Runner({ modelProvider, model: "second", tracingDisabled: true });
  const limits = limitRuns(
    {
      cost: 5,
      price: (_usage, model) => {
        priced.push(model?.id);
        return 1;
      },
    },
    runner,
  );
  const helper = new Agent({ name: "Helper", model: "helper" });
  const second = new Agent({ name: "Second" });
  const agent = new Agent({
    name: "First",
    model: "first",
    tools: [helper.asTool({ toolName: "work" })],
    handoffs: [second],
  });
  const { finalOutput, outcome } = await limits.run(agent, "go");
  expect(finalOutput).toBe("done");
  expect(priced).toEqual(["first", "helper", "first", "second"]);
  expect(outcome).toMatchObject({ turns: 4, usage: { cost: 4 } });
});

describe("the price is asked for a model that nobody names", () => {
  const usage = new Usage({ inputTokens: 10, outputTokens: 1, totalTokens: 11 });

  /** A model that says in its answer who it is, as those of providers do. */
  function answering(providerData?: Record<string, unknown>): Model {
    const answer = { usage, output: [assistantMessage("done")], ...(providerData && { providerData }) };
    return {
      getResponse: async () => answer,
      async *getStreamedResponse() {
        const { inputTokens, outputTokens, totalTokens } = usage;
        const taken = { inputTokens, outputTokens, totalTokens };
        yield { type: "response_done", response: { id: "1", ...answer, usage: taken } } as never;
      },
    };
  }

  async function priced(agent: Agent, runner: Runner, stream: boolean): Promise<unknown[]> {
    const seen: unknown[] = [];
    const price = (_usage: unknown, model: unknown) => {
      seen.push(model);
      return 1;
    };
    const limits = limitRuns({ cost: 5, price }, runner);
    if (stream) await (await limits.run(agent, "go", { stream: true })).completed;
    else await limits.run(agent, "go");
    return seen;
  }

  test.each([false, true])("a model object is named by its answer, streaming: %s", async (stream) => {
    const agent = new Agent({ name: "Worker", model: answering({ model: "gpt-5" }) });
    expect(await priced(agent, new Runner({ tracingDisabled: true }), stream)).toEqual([{ id: "gpt-5" }]);
  });

  test.each([false, true])("the default one is the host's, streaming: %s", async (stream) => {
    class Provider extends OpenAIProvider {
      override async getModel() {
        return answering();
      }
    }
    const runner = new Runner({ modelProvider: new Provider({ apiKey: "none" }), tracingDisabled: true });
    expect(await priced(new Agent({ name: "Worker" }), runner, stream)).toEqual([{ id: getDefaultModel() }]);
  });
});

test("whether a call needs approval is asked as often as without limits, and one that a guardrail answers is no step", async () => {
  const asked: string[] = [];
  const rejects = defineToolInputGuardrail({
    name: "no r1c1",
    run: async ({ toolCall }) =>
      toolCall.callId === callId(1, 1)
        ? ToolGuardrailFunctionOutputFactory.rejectContent("Not this one.")
        : ToolGuardrailFunctionOutputFactory.allow(),
  });
  const executed: string[] = [];
  const work = tool({
    name: "work",
    description: "Works.",
    parameters: z.object({ id: z.string() }),
    inputGuardrails: [rejects],
    needsApproval: async (_context, { id }) => {
      asked.push(id);
      return false;
    },
    execute: async ({ id }) => String(executed.push(id)),
  });
  const { limits } = setUp({ steps: 1 }, untilTurn(3));
  const { outcome } = await limits.run(new Agent({ name: "Worker", tools: [work] }), "go");
  expect(asked).toEqual([callId(1, 1), callId(2, 1)]);
  expect(executed).toEqual([callId(2, 1)]);
  expect(outcome).toMatchObject({ kind: "completed", steps: 1 });
});

test("a run that a guardrail makes with the context is not the agent's", async () => {
  const { limits, requests } = setUp({ turns: 1 }, untilTurn(1));
  const checked: unknown[] = [];
  const checker = new Agent({ name: "Checker", model: scripted(untilTurn(1), []) });
  const checks = async ({ context }: { context: RunContext<unknown> }) => {
    const { finalOutput } = await quickRunner(scripted(untilTurn(1), [])).run(checker, "check", { context });
    checked.push(finalOutput);
    return { tripwireTriggered: false, outputInfo: {} };
  };
  const agent = new Agent({ name: "Worker", outputGuardrails: [{ name: "check", execute: checks }] });
  const { finalOutput, outcome } = await limits.run(agent, "go");
  expect([finalOutput, checked]).toEqual(["done", ["done"]]);
  expect(requests).toHaveLength(1);
  expect(outcome).toMatchObject({ kind: "completed", turns: 1 });
});

for (const toolNotFoundBehavior of ["raise_error", "return_error_to_model"] as const) {
  test(`a tool that does not exist is what it is without limits: ${toolNotFoundBehavior}`, async () => {
    const synthesize = { turns: { max: 9, onExhausted: "synthesize" } } as const;
    const play = async (limits: AdapterOptions | undefined) => {
      const requests: SeenRequest[] = [];
      const runner = quickRunner(scripted(untilTurn(3), requests));
      const agent = new Agent({ name: "Worker", tools: [] });
      const run = limits
        ? limitRuns(limits, runner).run(agent, "go", { toolNotFoundBehavior })
        : runner.run(agent, "go", { toolNotFoundBehavior });
      const ended = await run.then(({ finalOutput }) => finalOutput, String);
      return { ended, requests };
    };
    expect(await play(synthesize)).toEqual(await play(undefined));
  });
}

test("a refused call of a tool whose results have a schema is worded by the tool", async () => {
  const work = tool({
    name: "work",
    description: "Works.",
    parameters: z.object({ id: z.string() }),
    outputSchema: z.object({ found: z.string() }),
    errorFunction: (_context, error) => ({ found: String(error) }),
    execute: async () => ({ found: "something" }),
  });
  const { limits, requests } = setUp({ steps: { max: 1, onExhausted: "refuse" } }, untilTurn(3));
  const { finalOutput } = await limits.run(new Agent({ name: "Worker", tools: [work] }), "go");
  expect(finalOutput).toBe("done");
  expect(requests.at(-1)?.texts.join()).toContain("step limit is reached (1/1)");
});
