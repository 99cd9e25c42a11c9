import { Agent, MaxTurnsExceededError, type RunContext, tool, Usage, webSearchTool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { type AdapterOptions, type LimitedRuns, limitRuns } from "../../src/adapters/openai-agents.ts";
import { isInvalidLimit } from "../../src/errors/invalid-limit.ts";
import { isUnsupportedOption } from "../../src/errors/unsupported-option.ts";
import type { Governor } from "../../src/governor/governor.ts";
import { Meter } from "../../src/meter/meter.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { callId, type ModelReply, type SeenRequest } from "../../src/testing/scripted-host.ts";
import { orphansIn, quickRunner, scripted } from "../hosts/openai-agents.ts";

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
  expect(result.outcome).toMatchObject({ kind: "completed", turns: 2 });
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

test("a tool is the same outside of its calls", async () => {
  const work = worker(() => {});
  const { invoke } = work;
  const { limits } = setUp({ tools: { work: 3 } }, untilTurn(3));
  await limits.run(new Agent({ name: "Worker", tools: [work] }), "go");
  expect(work.invoke).toBe(invoke);
});

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
  let governor: Governor | undefined;
  const agent = new Agent({ name: "Worker", tools: [worker(() => governor?.configure({ turns: 2 }))] });
  const result = await limits.run(agent, "go", { stream: true });
  governor = result.governor;
  await result.completed;
  expect(requests).toHaveLength(2);
  expect(asked).toEqual(["turns 2/2"]);
  expect(result.outcome).toMatchObject({ kind: "declined", maxTurns: 2 });
});

test("a time limit that is set during a run counts from then on", async () => {
  const clock = new ManualClock();
  const { limits, requests } = setUp({ clock }, untilTurn(4));
  let governor: Governor | undefined;
  const work = worker((id) => {
    clock.pass(3_000);
    if (id === callId(1, 1)) governor?.configure({ time: 5_000 });
  });
  const result = await limits.run(new Agent({ name: "Worker", tools: [work] }), "go", { stream: true });
  governor = result.governor;
  await result.completed;
  expect(requests).toHaveLength(3);
  expect(result.outcome).toMatchObject({ kind: "stopped", limit: "time", time: 9_000 });
});

test("a limit that is changed while a call waits for approval holds when the run is resumed", async () => {
  const { limits, requests } = setUp({ turns: 9 }, () => ({ calls: 1 }));
  const agent = new Agent({ name: "Worker", tools: [worker(() => {}, true)] });
  const first = await limits.run(agent, "go");
  first.governor.configure({ turns: { max: 1, onExhausted: "synthesize" } });
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
