import { context, metrics, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { limitToolLoop } from "../../src/adapters/ai-sdk/index.ts";
import { limitLoop } from "../../src/adapters/loop/index.ts";
import { limitAgent } from "../../src/adapters/mastra/index.ts";
import { telemetry } from "../../src/otel/index.ts";
import { Run } from "../../src/run/run.ts";
import type { SeenRequest } from "../../src/testing/scripted-host.ts";
import { answerTo, scriptedAgent, scriptedModel } from "../hosts/mastra.ts";

const STOP = { unified: "stop", raw: undefined } as const;
const CALLS = { unified: "tool-calls", raw: undefined } as const;

let spans: InMemorySpanExporter;
let measured: InMemoryMetricExporter;
let reader: PeriodicExportingMetricReader;
let meters: MeterProvider;

// The SDK that people use, with an exporter that keeps what it gets.
beforeEach(() => {
  spans = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
  measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });
  meters = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(meters);
});
afterEach(async () => {
  await meters.shutdown();
  trace.disable();
  metrics.disable();
  context.disable();
});

function named(name: string): ReadableSpan[] {
  return spans.getFinishedSpans().filter((span) => span.name === name);
}

interface Point {
  attributes: object;
  value: unknown;
}

/** What was measured under a name: each value with its attributes. */
async function points(name: string): Promise<Point[]> {
  await reader.forceFlush();
  const all =
    measured
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
  const found = all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  return (found as Point[]).map(({ attributes, value }) => ({ attributes, value }));
}

/** Everything that was exported, as one text. */
async function everything(): Promise<string> {
  await reader.forceFlush();
  const told = spans.getFinishedSpans().map(({ name, attributes, events }) => ({ name, attributes, events }));
  return JSON.stringify([told, measured.getMetrics()]);
}

const CLAUDE = { id: "claude-sonnet-4-5", provider: "anthropic" };

test("a run is a span, with one for each request and each call below it", async () => {
  const limits = limitLoop({ turns: 5, observe: telemetry({ agent: "researcher" }) });
  limits.begin();
  await limits.nextTurn();
  limits.turnEnded({ usage: { input: 900, output: 100, cacheRead: 50 } }, CLAUDE);
  await limits.refusal({ id: "c1", tool: "bash" });
  await limits.execute({ id: "c1", tool: "bash" }, () => "done");
  await limits.nextTurn();
  limits.turnEnded("failed");
  limits.end();

  const [run] = named("invoke_agent researcher");
  expect(run?.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "researcher",
    "gen_ai.usage.input_tokens": 950,
    "turn_limit.turns": 2,
    "turn_limit.steps": 1,
    "turn_limit.outcome": "failed",
  });
  const [answered] = named("chat claude-sonnet-4-5");
  expect(answered?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.response.model": "claude-sonnet-4-5",
    "gen_ai.usage.input_tokens": 950,
    "gen_ai.usage.output_tokens": 100,
    "gen_ai.usage.cache_read.input_tokens": 50,
  });
  const [call] = named("execute_tool bash");
  expect(call?.attributes).toMatchObject({ "gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "c1" });
  const [failed] = named("chat");
  expect(failed?.attributes["error.type"]).toBe("failed");
  expect(failed?.status.code).toBe(SpanStatusCode.ERROR);
  for (const span of [answered, call, failed])
    expect(span?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
});

test("an extension without a question is an event of the run, without what progress was", async () => {
  const found = ["secret.txt changed", false];
  const limits = limitLoop({
    turns: { max: 1, extend: 2, onExhausted: "stop" },
    progress: () => found.shift(),
    observe: telemetry({ agent: "gets somewhere" }),
  });
  limits.begin();
  for (let turn = await limits.nextTurn(); turn; turn = await limits.nextTurn()) limits.turnEnded();
  limits.end();
  const [run] = named("invoke_agent gets somewhere");
  expect(run?.events.map(({ name }) => name)).toEqual(["turn_limit.extension", "turn_limit.stop"]);
  expect(run?.events[0]?.attributes).toMatchObject({ "turn_limit.limit": "turns" });
  expect(JSON.stringify(run?.events.map(({ attributes }) => attributes))).not.toContain("secret");
});

test("a question, its reply and the end at a limit are events of the run, and counted by kind", async () => {
  const replies = [{ more: 1 }, false];
  const limits = limitLoop({
    turns: 1,
    ask: () => replies.shift(),
    observe: telemetry({ agent: "asks" }),
  });
  limits.begin();
  for (let turn = await limits.nextTurn(); turn; turn = await limits.nextTurn()) limits.turnEnded();
  expect(limits.end()?.kind).toBe("declined");

  const [run] = named("invoke_agent asks");
  expect(run?.events.map(({ name }) => name)).toEqual([
    "turn_limit.question",
    "turn_limit.reply",
    "turn_limit.question",
    "turn_limit.reply",
    "turn_limit.stop",
  ]);
  expect(run?.events[1]?.attributes).toMatchObject({
    "turn_limit.limit": "turns",
    "turn_limit.reply": "more",
  });
  expect(named("chat")).toHaveLength(2);
  const turns = { "turn_limit.limit": "turns", "turn_limit.shared": false };
  expect(await points("turn_limit.questions")).toEqual([{ attributes: turns, value: 2 }]);
  expect(await points("turn_limit.grants")).toEqual([
    { attributes: { ...turns, "turn_limit.reply": "more" }, value: 1 },
  ]);
  const ended = { "turn_limit.outcome": "declined", "gen_ai.agent.name": "asks" };
  expect(await points("turn_limit.runs")).toEqual([{ attributes: ended, value: 1 }]);
  expect(await points("turn_limit.stops")).toEqual([{ attributes: { ...ended, ...turns }, value: 1 }]);
});

test("tokens and durations are measured by model, and no run, call or text is in what is exported", async () => {
  const model = new MockLanguageModelV4({
    provider: "mock-provider",
    modelId: "mock-model",
    doGenerate: async ({ prompt }) => ({
      finishReason: prompt.length > 1 ? STOP : CALLS,
      usage: {
        inputTokens: { total: 900, noCache: 900, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 100, text: 100, reasoning: undefined },
      },
      content:
        prompt.length > 1
          ? [{ type: "text", text: "THE-ANSWER" }]
          : [{ type: "tool-call", toolCallId: "call-1", toolName: "look", input: '{"at":"THE-ARGUMENT"}' }],
      warnings: [],
    }),
  });
  const look = tool({ inputSchema: z.object({ at: z.string() }), execute: () => "THE-RESULT" });
  const limits = limitToolLoop({ turns: 5, observe: telemetry({ agent: "asker" }) });
  const settings = limits.govern({ model, tools: { look }, prompt: "THE-PROMPT", stopWhen: isStepCount(9) });
  await generateText(settings);

  expect(named("execute_tool look")).toHaveLength(1);
  const [run] = named("invoke_agent asker");
  expect(spans.getFinishedSpans()).toHaveLength(4);
  expect(run?.attributes["turn_limit.outcome"]).toBe("completed");
  const tokens = await points("gen_ai.client.token.usage");
  expect(tokens).toHaveLength(2);
  for (const { attributes, value } of tokens) {
    expect(attributes).toMatchObject({ "gen_ai.operation.name": "chat" });
    expect(value).toMatchObject({ count: 2 });
  }
  expect(await points("gen_ai.client.operation.duration")).toMatchObject([{ value: { count: 2 } }]);
  const id = String(run?.attributes["turn_limit.run.id"]);
  const told = await everything();
  for (const secret of ["THE-PROMPT", "THE-ARGUMENT", "THE-RESULT", "THE-ANSWER"])
    expect(told).not.toContain(secret);
  expect(JSON.stringify(measured.getMetrics())).not.toContain(id);
});

test("tokens are measured where a host says only after the calls what an answer took", async () => {
  const requests: SeenRequest[] = [];
  const model = scriptedModel((options) =>
    answerTo(options, requests, ({ index }) => (index < 2 ? { calls: 1 } : { text: "done" })),
  );
  const agent = scriptedAgent({ model, execute() {} });
  await agent.generate("go", limitAgent({ turns: 5, observe: telemetry() }).options());

  const of = { "gen_ai.response.model": "mock-model-id", "gen_ai.provider.name": "mock-provider" };
  const tokens = await points("gen_ai.client.token.usage");
  expect(tokens).toMatchObject([
    { attributes: { ...of, "gen_ai.token.type": "input" }, value: { count: 2, sum: 200 } },
    { attributes: { ...of, "gen_ai.token.type": "output" }, value: { count: 2, sum: 40 } },
  ]);
  expect(await points("gen_ai.client.operation.duration")).toMatchObject([
    { attributes: of, value: { count: 2 } },
  ]);
  expect(named("chat mock-model-id")).toHaveLength(2);
});

test("a request that was never sent, and a call that was denied, are none", async () => {
  const run = new Run({ turns: 5, observe: telemetry() });
  run.begin();
  const given = await run.nextTurn();
  if (given.kind === "turn") given.abandon();
  const turn = await run.nextTurn();
  if (turn.kind !== "turn") throw new Error("It was not admitted.");
  turn.sent();
  turn.answered();
  const call = await turn.call({ id: "c1", tool: "bash" });
  if (call.kind !== "call") throw new Error("It was refused.");
  call.executed();
  call.denied();
  expect(run.end()).toMatchObject({ kind: "completed", turns: 1, steps: 0 });
  expect(spans.getFinishedSpans().map(({ name }) => name.split(" ")[0])).toEqual(["chat", "invoke_agent"]);
  expect(await points("gen_ai.client.operation.duration")).toMatchObject([{ value: { count: 1 } }]);
});

test("runs at once that the caller gave the same id are told apart", async () => {
  const observe = telemetry({ agent: "twins" });
  const runs = ["first", "second"].map(() => limitLoop({ turns: 5, observe }));
  for (const run of runs) run.begin({ id: "same" });
  for (const run of runs) await run.nextTurn();
  for (const run of runs) run.turnEnded();
  for (const run of runs) run.end();
  const found = named("invoke_agent twins");
  expect(found.map(({ attributes }) => attributes["turn_limit.turns"])).toEqual([1, 1]);
  const around = named("chat").map(({ parentSpanContext }) => parentSpanContext?.spanId);
  expect(around).toEqual(found.map((span) => span.spanContext().spanId));
  expect(await points("turn_limit.runs")).toMatchObject([{ value: 2 }]);
});

test("an SDK that is set up after the limits were made gets everything from the next run on", async () => {
  metrics.disable();
  const limits = limitLoop({ turns: 5, observe: telemetry() });
  metrics.setGlobalMeterProvider(meters);
  limits.begin();
  limits.end();
  expect(await points("turn_limit.runs")).toHaveLength(1);
});

test("without an SDK nothing is recorded, and the limits hold as they do", async () => {
  trace.disable();
  metrics.disable();
  const limits = limitLoop({ turns: 2, observe: telemetry() });
  limits.begin();
  let turns = 0;
  for (; await limits.nextTurn(); turns += 1) limits.turnEnded();
  expect([turns, limits.end()?.kind]).toEqual([2, "stopped"]);
  expect(spans.getFinishedSpans()).toEqual([]);
});

test("wrong options are named", () => {
  expect(() => telemetry({ agent: "" })).toThrow(/telemetry\.agent/);
  expect(() => telemetry({ agnet: "x" } as object)).toThrow("telemetry.agnet is not known here");
  expect(() => limitLoop({ observe: { runBegun() {} } as object })).toThrow(
    "observe.runBegun is not known here",
  );
  expect(() => limitLoop({ observe: { runBegan: 5 } as object })).toThrow(/observe\.runBegan/);
  expect(() => limitLoop({ observe: 5 as never })).toThrow(/observe/);
});

test("an observer that throws is a warning, and changes nothing", async () => {
  const warnings: string[] = [];
  const observe = {
    turnBegan() {
      throw new Error("no disk");
    },
  };
  const limits = limitLoop({ turns: 1, observe, onWarning: (message) => void warnings.push(message) });
  limits.begin();
  expect(await limits.nextTurn()).toBeDefined();
  limits.turnEnded();
  expect(await limits.nextTurn()).toBeUndefined();
  expect(warnings).toEqual(["observe.turnBegan threw: Error: no disk"]);
});
