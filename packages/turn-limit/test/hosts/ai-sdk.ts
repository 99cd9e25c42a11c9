import {
  APICallError,
  generateText,
  jsonSchema,
  type ModelMessage,
  simulateReadableStream,
  streamText,
  type ToolExecutionOptions,
  ToolLoopAgent,
  tool,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { limitToolLoop } from "../../src/adapters/ai-sdk.ts";
import {
  callId,
  everything,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
  type SeenRequest,
} from "../../src/testing/scripted-host.ts";

type Request = MockLanguageModelV4["doGenerateCalls"][number];
type Answer = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Chunk =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer C> ? C : never;

/** The SDK's own test model, which answers as the scenario says, in one piece or as a stream. */
export function scriptedModel(requests: SeenRequest[], model: Scenario["model"]): MockLanguageModelV4 {
  async function answer({ prompt, tools = [], toolChoice, abortSignal }: Request): Promise<Answer> {
    const request = {
      index: requests.length + 1,
      tools: toolChoice?.type === "none" ? [] : tools.map(({ name }) => name),
      texts: prompt.map(textOf),
    };
    requests.push(request);
    const reply = model(request);
    if ("fails" in reply) throw overloaded();
    if ("stalls" in reply) return stalled(abortSignal);
    const content: Answer["content"] =
      "text" in reply
        ? [{ type: "text", text: reply.text }]
        : Array.from({ length: reply.calls }, (_, n) => {
            const toolCallId = callId(request.index, n + 1);
            const input = JSON.stringify({ id: reply.same ?? toolCallId });
            return { type: "tool-call", toolCallId, toolName: "work", input };
          });
    return {
      content,
      finishReason: { unified: "text" in reply ? "stop" : "tool-calls", raw: undefined },
      usage: {
        inputTokens: { total: 100, noCache: 60, cacheRead: 40, cacheWrite: undefined },
        outputTokens: { total: 20, text: 20, reasoning: undefined },
      },
      warnings: [],
    };
  }
  return new MockLanguageModelV4({
    doGenerate: answer,
    doStream: async (request) => {
      const { content, finishReason, usage } = await answer(request);
      const chunks: Chunk[] = [...content.flatMap(chunksOf), { type: "finish", finishReason, usage }];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
}

/** The one tool, for a model that calls it with its own call's id. */
export function workTool(execute: (id: string, options: ToolExecutionOptions<unknown>) => unknown) {
  return tool({
    inputSchema: jsonSchema<{ id: string }>({
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
    }),
    execute: async ({ id }, options) => (await execute(id, options)) ?? "done",
  });
}

/** Calls of the transcript that have no result. */
export function orphansIn(messages: readonly ModelMessage[]): number {
  const made = new Set<string>();
  for (const { content } of messages) {
    for (const part of typeof content === "string" ? [] : content) {
      if (part.type === "tool-call") made.add(part.toolCallId);
      if (part.type === "tool-result") made.delete(part.toolCallId);
    }
  }
  return made.size;
}

type Played = Pick<Scenario, "limits" | "model">;

/** An agent whose tool runs a sub-agent. */
async function playWithSubAgents({ limits: options, model: script }: Played): Promise<Observed> {
  const seen = nothingSeen();
  const limits = limitToolLoop(options);
  const model = scriptedModel(seen.requests, script);
  const delegate = workTool(async (_, toolOptions) => {
    const inner = { model, tools: { work: workTool(() => "done") } };
    await new ToolLoopAgent(limits.governSubAgent(toolOptions, inner)).generate({ prompt: "help" });
  });
  try {
    const call = limits.govern({ model, tools: { work: delegate }, prompt: "go" });
    seen.answer = (await generateText(call)).text;
  } catch (error) {
    seen.error = error;
  }
  seen.outcomes.push(limits.outcome);
  return seen;
}

async function play(scenario: Scenario): Promise<Observed> {
  const { limits: options, model, streaming, signal, prompts = 1, onExecute } = scenario;
  const seen = nothingSeen();
  const messages: ModelMessage[] = [];
  const limits = limitToolLoop(options);
  const settings = {
    model: scriptedModel(seen.requests, model),
    tools: {
      work: workTool((id) => {
        seen.executed.push(id);
        return onExecute?.(id);
      }),
    },
    ...(signal && { abortSignal: signal }),
    onStepEnd: (step: { response: { messages: ModelMessage[] } }) =>
      void messages.push(...step.response.messages),
  };

  async function finalStep() {
    const call = limits.govern({ ...settings, messages: [...messages] });
    if (!streaming) return (await generateText(call)).finalStep;
    const result = streamText({
      ...call,
      onError: ({ error }) => {
        seen.error = error;
      },
    });
    await result.consumeStream();
    return await result.finalStep;
  }

  for (let prompt = 0; prompt < prompts; prompt += 1) {
    messages.push({ role: "user", content: "go" });
    seen.error = undefined;
    try {
      const step = await finalStep();
      seen.answer = step.text || undefined;
      seen.outcomes.push(limits.outcomeOf(step));
    } catch (error) {
      // A stream that ends before its first step has said why to `onError`.
      seen.error ??= error;
      seen.outcomes.push(limits.outcome);
    }
  }
  seen.orphans = orphansIn(messages);
  return seen;
}

const NOT_YET = "not yet";
const notYet = {
  classTools: NOT_YET,
  approvals: NOT_YET,
  structured: NOT_YET,
  transparent: NOT_YET,
  runsAtOnce: NOT_YET,
};

/** The AI SDK. */
export const host: ScriptedHost = {
  name: "turn-limit/ai-sdk",
  can: { ...everything, ...notYet, configure: "each call has a governor of its own" },
  play,
  playWithSubAgents,
  make: limitToolLoop,
};

function textOf({ content }: Request["prompt"][number]): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part ? part.text : JSON.stringify(part))).join("\n");
}

function stalled(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

function chunksOf(part: Answer["content"][number]): Chunk[] {
  if (part.type === "tool-call") return [part];
  if (part.type !== "text") return [];
  return [
    { type: "text-start", id: "text" },
    { type: "text-delta", id: "text", delta: part.text },
    { type: "text-end", id: "text" },
  ];
}

/** The kind of error that the SDK retries by itself, without the usual wait. */
function overloaded(): APICallError {
  return new APICallError({
    message: "overloaded",
    url: "https://model.example",
    requestBodyValues: {},
    statusCode: 529,
    responseHeaders: { "retry-after-ms": "1" },
    isRetryable: true,
  });
}
