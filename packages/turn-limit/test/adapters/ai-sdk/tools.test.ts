import {
  dynamicTool,
  experimental_toolCaller,
  generateText,
  jsonSchema,
  type ModelMessage,
  streamText,
  type Telemetry,
  type Tool,
  ToolLoopAgent,
  type ToolSet,
  tool,
  toolSearch,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, test } from "vitest";
import { limitToolLoop } from "../../../src/adapters/ai-sdk/index.ts";
import { scriptedModel, workTool } from "../../hosts/ai-sdk.ts";
import { scripted } from "./settings.ts";

const inputSchema = jsonSchema<{ id: string }>({ type: "object", properties: { id: { type: "string" } } });

type Answer = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;

/** A model that makes these calls, one answer after the other, and is then done. */
function calling(...answers: [toolName: string, input: object][][]) {
  const offered: string[][] = [];
  const model = new MockLanguageModelV4({
    doGenerate: async ({ tools = [] }) => {
      offered.push(tools.map(({ name }) => name));
      const calls = answers[offered.length - 1];
      const content: Answer["content"] = calls
        ? calls.map(([toolName, input], n) => ({
            type: "tool-call",
            toolCallId: `r${offered.length}c${n}`,
            toolName,
            input: JSON.stringify(input),
          }))
        : [{ type: "text", text: "done" }];
      return {
        content,
        finishReason: { unified: calls ? "tool-calls" : "stop", raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 1, text: 1, reasoning: undefined },
        },
        warnings: [],
      };
    },
  });
  return { model, offered };
}

describe("a tool of a class", () => {
  class Search {
    readonly #seen: string[] = [];
    readonly inputSchema = inputSchema;

    get seen(): readonly string[] {
      return this.#seen;
    }
    get description(): string {
      return "searches";
    }
    execute({ id }: { id: string }): string {
      this.#seen.push(`execute ${id}`);
      return id;
    }
    onInputStart(): void {
      this.#seen.push("input start");
    }
    onInputAvailable({ input }: { input: { id: string } }): void {
      this.#seen.push(`input ${input.id}`);
    }
    toModelOutput({ output }: { output: string }) {
      this.#seen.push(`output ${output}`);
      return { type: "text" as const, value: `found ${output}` };
    }
  }
  const asTool = (search: Search) => search as unknown as Tool<{ id: string }, string>;

  test("is described to the model, and its results are put into its words", async () => {
    const limits = limitToolLoop({ steps: 3 });
    const { requests, settings } = scripted(({ index }) => (index > 1 ? { text: "done" } : { calls: 1 }));
    const search = new Search();

    await generateText(limits.govern({ ...settings, tools: { work: asTool(search) }, prompt: "go" }));

    expect(settings.model.doGenerateCalls[0]?.tools).toMatchObject([{ description: "searches" }]);
    expect(requests[1]?.texts.join()).toContain("found r1c1");
    expect(search.seen).toEqual(["input start", "input r1c1", "execute r1c1", "output r1c1"]);
  });

  test("is told of its input in a stream", async () => {
    const limits = limitToolLoop({ steps: 3 });
    const { settings } = scripted(({ index }) => (index > 1 ? { text: "done" } : { calls: 1 }));
    const search = new Search();

    const call = limits.govern({ ...settings, tools: { work: asTool(search) }, prompt: "go" });
    await streamText(call).consumeStream();

    expect(search.seen).toEqual(["input r1c1", "execute r1c1", "output r1c1"]);
  });
});

test("a dynamic tool is counted, and its calls stay dynamic", async () => {
  const limits = limitToolLoop({ steps: { max: 1, onExhausted: "refuse" } });
  const { settings } = scripted(({ index }) => (index > 2 ? { text: "done" } : { calls: 1 }));
  const work = dynamicTool({ inputSchema, execute: async () => "done" });

  const result = await generateText(limits.govern({ ...settings, tools: { work }, prompt: "go" }));

  expect(result.dynamicToolCalls).toHaveLength(2);
  expect(limits.outcomeOf(result)).toMatchObject({ steps: 1 });
});

describe("a set of tools", () => {
  const once = { steps: { max: 1, onExhausted: "refuse" as const } };
  const twice = () => scripted(({ index }) => (index > 2 ? { text: "done" } : { calls: 1 }));

  test.each<[string, (work: ToolSet[string]) => ToolSet]>([
    ["is frozen", (work) => Object.freeze({ work })],
    [
      "is an object of a class",
      (work) =>
        new (class Tools {
          readonly work = work;
        })() as unknown as ToolSet,
    ],
    [
      "makes its tools when they are asked for",
      (work) =>
        Object.defineProperty({}, "work", { get: () => ({ ...work }), enumerable: true, configurable: true }),
    ],
  ])("that %s is limited, too", async (_, toolSet) => {
    const limits = limitToolLoop(once);
    const { executed, settings } = twice();

    const tools = toolSet(settings.tools.work);
    const result = await generateText(limits.govern({ model: settings.model, tools, prompt: "go" }));

    expect(executed).toEqual(["r1c1"]);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", steps: 1 });
  });

  test("to which a tool is added during the run has it in the next step, and it is limited", async () => {
    const limits = limitToolLoop(once);
    const executed: string[] = [];
    const late = workTool((id) => void executed.push(`late ${id}`));
    const tools: ToolSet = {
      early: workTool((id) => {
        executed.push(`early ${id}`);
        tools.late = late;
      }),
    };
    const { model, offered } = calling([["early", { id: "1" }]], [["late", { id: "2" }]]);

    await generateText(limits.govern({ model, tools, prompt: "go" }));

    expect(offered).toEqual([["early"], ["early", "late"], ["early", "late"]]);
    expect(executed).toEqual(["early 1"]);
  });
});

describe("a tool that calls others", () => {
  function code(executed: string[]) {
    const work = workTool((id) => void executed.push(`work ${id}`));
    const program = tool({ inputSchema, execute: async (): Promise<unknown> => "not bound" });
    const bind = (tools: ToolSet): Tool => ({
      ...program,
      execute: async ({ id }: { id: string }, options: Parameters<NonNullable<Tool["execute"]>>[1]) => {
        executed.push(`code ${id}`);
        const results: unknown[] = [];
        for (const n of [1, 2]) {
          const call = tools.work?.execute?.({ id: `${id}.${n}` }, { ...options, toolCallId: `${id}.${n}` });
          results.push(await Promise.resolve(call).catch((error) => String(error)));
        }
        return results;
      },
    });
    return { work, code: experimental_toolCaller(program, { type: "local", bind }) };
  }

  test("still calls them, and each call is a step", async () => {
    const limits = limitToolLoop({ steps: 9 });
    const executed: string[] = [];
    const tools = code(executed);
    const { model, offered } = calling([["code", { id: "a" }]]);

    const result = await generateText(
      limits.govern({ model, tools, experimental_toolCallers: { work: ["code"] }, prompt: "go" }),
    );

    expect(offered[0]).toEqual(["code"]);
    expect(executed).toEqual(["code a", "work a.1", "work a.2"]);
    expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", steps: 3 });
  });

  test("is held to the limit, and so are they", async () => {
    const limits = limitToolLoop({ steps: { max: 2, onExhausted: "refuse" } });
    const executed: string[] = [];
    const tools = code(executed);
    const { model } = calling([["code", { id: "a" }]], [["code", { id: "b" }]]);

    await generateText(
      limits.govern({ model, tools, experimental_toolCallers: { work: ["code"] }, prompt: "go" }),
    );

    expect(executed).toEqual(["code a", "work a.1"]);
  });
});

test("the SDK's own tool search works as it does, and is not counted", async () => {
  const limits = limitToolLoop({ steps: { max: 1, onExhausted: "refuse" } });
  const executed: string[] = [];
  const work = tool({
    description: "does work",
    deferLoading: true,
    inputSchema,
    execute: async ({ id }) => void executed.push(id),
  });
  const other = workTool((id) => void executed.push(id));
  const { model, offered } = calling(
    [
      ["search", { query: "work" }],
      ["search", { query: "work" }],
    ],
    [["work", { id: "1" }]],
  );

  const tools = { search: toolSearch(), work, other };
  const result = await generateText(limits.govern({ model, tools, prompt: "go" }));

  expect(offered.slice(0, 2)).toEqual([
    ["search", "other"],
    ["search", "work", "other"],
  ]);
  expect(executed).toEqual(["1"]);
  expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", steps: 1, intervened: false });
});

test("calls of an answer that was cut short never run, and are no steps", async () => {
  const limits = limitToolLoop({ steps: 1 });
  const { settings } = scripted();
  const model = new MockLanguageModelV4({
    doGenerate: async (request) => ({
      ...(await scriptedModel([], () => ({ calls: 2 })).doGenerate(request)),
      finishReason: { unified: "length", raw: undefined },
    }),
  });

  const result = await generateText(limits.govern({ ...settings, model, prompt: "go" }));

  expect(limits.outcomeOf(result)).toMatchObject({ kind: "completed", steps: 0 });
});

test("a sub-agent in a tool of a run with tool callers spends the budget of the run", async () => {
  const limits = limitToolLoop({ turns: 3 });
  const { requests, settings } = scripted();
  const program = tool({ inputSchema, execute: async () => "done" });
  const caller = experimental_toolCaller(program, {
    type: "local",
    bind: () => program,
    // It adds a message to every step.
    prepareModelMessage: () => "There is a work tool.",
  });
  const work = workTool(async (_, options: { messages: ModelMessage[] }) => {
    await generateText(limits.subAgent(options, { ...settings, prompt: "help" }));
  });

  const result = await generateText(
    limits.govern({
      model: settings.model,
      tools: { work, code: caller },
      experimental_toolCallers: { work: ["code", "AI_SDK_DIRECT_TOOL_CALL"] },
      prompt: "go",
    }),
  );

  expect(requests).toHaveLength(3);
  expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "turns", turns: 3 });
});

test("of several calls with the same id in one answer, as many are executed as the limit admits", async () => {
  const limits = limitToolLoop({ steps: { max: 1, onExhausted: "stop" } });
  const { settings, executed } = scripted();
  const call = { type: "tool-call" as const, toolCallId: "same", toolName: "work", input: '{"id":"same"}' };
  const { model } = calling([["work", {}]]);
  const doGenerate: typeof model.doGenerate = async (request) => ({
    ...(await model.doGenerate(request)),
    content: [call, call, call],
  });

  const result = await generateText(
    limits.govern({ ...settings, model: new MockLanguageModelV4({ doGenerate }), prompt: "go" }),
  );

  expect(executed).toEqual(["same"]);
  expect(limits.outcomeOf(result)).toMatchObject({ kind: "stopped", limit: "steps", steps: 1 });
});

describe("a call without tools", () => {
  /** The tools that the caller and telemetry are told of. */
  async function told(isGoverned: boolean): Promise<unknown[]> {
    const limits = limitToolLoop({ turns: 3 });
    const seen: unknown[] = [];
    const see = ({ tools }: { tools?: unknown }) => void seen.push(tools);
    const { model } = scripted(() => ({ text: "done" })).settings;
    const call = {
      model,
      onStart: see,
      onStepStart: see,
      telemetry: { integrations: { onStart: see, onStepStart: see } as Telemetry },
    };
    const settings = isGoverned ? limits.govern({ ...call, prompt: "go" }) : { ...call, prompt: "go" };
    await generateText(settings);
    await streamText(settings).consumeStream();
    const agent = new ToolLoopAgent(isGoverned ? limits.govern(call) : call);
    await agent.generate({ prompt: "go" });
    return seen;
  }

  test("tells of none, as without limits", async () => {
    const alone = await told(false);
    expect(alone).toEqual(Array(12).fill(undefined));
    expect(await told(true)).toEqual(alone);
  });
});
