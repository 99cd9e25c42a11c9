import { Agent, MaxTurnsExceededError, type RunContext, tool, Usage, webSearchTool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { type AdapterOptions, limitRuns } from "../../src/adapters/openai-agents.ts";
import { isUnsupportedOption } from "../../src/errors/UnsupportedOption.ts";
import { TurnLimit } from "../../src/limits/TurnLimit.ts";
import type { Reply, SeenRequest } from "../contract/Host.ts";
import { ManualClock } from "../contract/ManualClock.ts";
import { quickRunner, scripted } from "../hosts/openai-agents.ts";

const untilTurn =
  (last: number) =>
  ({ index }: SeenRequest): Reply =>
    index >= last ? { text: "done" } : { calls: 1 };

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

function setUp(options: AdapterOptions, model: (request: SeenRequest) => Reply) {
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
  expect(outcome).toMatchObject({ kind: "completed", touched: true });
});

test("a limit for a tool that the provider runs is refused", async () => {
  const { limits } = setUp({ tools: { web_search: 3 } }, untilTurn(3));
  const agent = new Agent({ name: "Worker", tools: [webSearchTool()] });
  await expect(limits.run(agent, "go")).rejects.toSatisfy(isUnsupportedOption);
});

test("a request too many does not reach the model, and the run ends as at any other limit", async () => {
  const { limits, requests } = setUp({ turns: 2 }, () => ({ calls: 1 }));
  const counter = vi.spyOn(TurnLimit.prototype, "begin").mockImplementation(() => {});
  const agent = new Agent({ name: "Worker", tools: [worker(() => {})] });
  const { finalOutput, outcome } = await limits.run(agent, "go").finally(() => counter.mockRestore());
  expect(requests).toHaveLength(2);
  expect(finalOutput).toBe("");
  expect(outcome).toMatchObject({ kind: "limit-overrun" });
});
