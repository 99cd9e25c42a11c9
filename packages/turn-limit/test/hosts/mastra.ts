import { Agent, type AgentConfig, type MastraLanguageModel } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import { StreamErrorRetryProcessor } from "@mastra/core/processors";
import { createTool } from "@mastra/core/tools";
import { APICallError } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { z } from "zod";
import { type AdapterOptions, limitAgent, type RunOptions } from "../../src/adapters/mastra.ts";
import {
  callId,
  everything,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
  type SeenRequest,
} from "../../src/testing/scripted-host.ts";

const RETRIES = 2;

type Message = NonNullable<RunOptions["context"]>[number];
type CallOptions = Parameters<MockLanguageModelV4["doGenerate"]>[0];
type Answer = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

/** An agent of Mastra with the test model of the AI SDK. It has no memory: the history is passed by hand. */
async function play({ limits, streaming, signal, prompts = 1, ...scenario }: Scenario): Promise<Observed> {
  const seen = nothingSeen();
  const agent = scriptedAgent({
    model: scriptedModel((options) => answerTo(options, seen.requests, scenario.model)),
    execute: (id) => {
      seen.executed.push(id);
      return scenario.onExecute?.(id);
    },
  });
  const governed = limitAgent(limits);
  const messages: Message[] = [];
  for (let prompt = 0; prompt < prompts; prompt += 1) {
    const run = streaming ? runWithStream : runWithGenerate;
    const result = await run(agent, messages, governed.options({ ...(signal && { abortSignal: signal }) }));
    seen.answer = result.text;
    seen.error = result.error;
    seen.outcomes.push(governed.outcome);
  }
  seen.orphans = orphansIn(messages);
  return seen;
}

/** An agent that calls a tool several times at once, and a sub-agent of the same run in each call. */
async function turnsAtOnce(limits: AdapterOptions, count: number) {
  const governed = limitAgent(limits);
  let begun = 0;
  const worker = (calls: number, execute: Parameters<typeof scriptedAgent>[0]["execute"]) =>
    scriptedAgent({
      model: scriptedModel((options) => {
        begun += 1;
        return answerTo(options, [], () => (calls > 0 ? { calls } : { text: "done" }));
      }),
      execute,
    });
  const agent = worker(count - 1, (_id, { requestContext }) =>
    worker(0, () => {}).generate("go", governed.within(requestContext)),
  );
  await agent.generate("go", governed.options());
  return { begun, outcome: governed.outcome };
}

type Played = Pick<Scenario, "limits" | "model">;

/** An agent whose tool runs a sub-agent. */
async function playWithSubAgents({ limits, model: script }: Played): Promise<Observed> {
  const seen = nothingSeen();
  const governed = limitAgent(limits);
  const model = scriptedModel((options) => answerTo(options, seen.requests, script));
  const agent = scriptedAgent({
    model,
    execute: (_id, { requestContext }) =>
      scriptedAgent({ model, execute() {} }).generate("help", governed.within(requestContext)),
  });
  const { text, error } = await runWithGenerate(agent, [], governed.options());
  return { ...seen, answer: text, error, outcomes: [governed.outcome] };
}

/** An agent with the tool `work`. Its failed requests are retried by a processor, unless told otherwise. */
export function scriptedAgent({
  model,
  execute,
  ...more
}: {
  model: MockLanguageModelV4;
  execute: (id: string, context: { requestContext?: RunOptions["requestContext"] }) => unknown;
} & Pick<AgentConfig, "maxRetries" | "errorProcessors">): Agent {
  const work = createTool({
    id: "work",
    description: "Does a bit of work",
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }, context) => {
      const result = await execute(id, context);
      return typeof result === "string" ? result : "done";
    },
  });
  const agent = new Agent({
    id: "worker",
    name: "worker",
    instructions: "You work.",
    // Mastra knows the types of a slightly older version of the same specification.
    model: model as unknown as MastraLanguageModel,
    tools: { work },
    errorProcessors: [new StreamErrorRetryProcessor({ maxRetries: RETRIES })],
    maxProcessorRetries: RETRIES,
    ...more,
  });
  agent.__setLogger(noopLogger);
  return agent;
}

/** A model that answers what it is told to, streaming or not. */
export function scriptedModel(
  answer: (options: CallOptions) => Answer["content"] | Promise<Answer["content"]>,
): MockLanguageModelV4 {
  const usage: Answer["usage"] = {
    inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 20, text: 20, reasoning: 0 },
  };
  const reasonOf = (content: Answer["content"]): Answer["finishReason"] => ({
    unified: content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop",
    raw: undefined,
  });
  return new MockLanguageModelV4({
    doGenerate: async (options) => {
      const content = await answer(options);
      return { content, finishReason: reasonOf(content), usage, warnings: [] };
    },
    doStream: async (options) => {
      const content = await answer(options);
      const chunks: StreamPart[] = [
        { type: "stream-start", warnings: [] },
        ...content.flatMap(partsOf),
        { type: "finish", finishReason: reasonOf(content), usage },
      ];
      return { stream: simulateReadableStream({ chunks, chunkDelayInMs: null, initialDelayInMs: null }) };
    },
  });
}

function partsOf(content: Answer["content"][number]): StreamPart[] {
  if (content.type === "tool-call") return [content];
  if (content.type !== "text") return [];
  return [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: content.text },
    { type: "text-end", id: "1" },
  ];
}

/** Notes the request, and answers it as the script says. */
export async function answerTo(
  { prompt, tools = [], abortSignal }: CallOptions,
  requests: SeenRequest[],
  model: Scenario["model"],
): Promise<Answer["content"]> {
  const texts = prompt.flatMap(({ content }) =>
    typeof content === "string" ? [content] : content.map(textOf),
  );
  const request: SeenRequest = { index: requests.length + 1, tools: tools.map(({ name }) => name), texts };
  requests.push(request);
  const reply = model(request);
  if ("fails" in reply) {
    throw new APICallError({
      message: "overloaded",
      url: "",
      requestBodyValues: {},
      statusCode: 529,
      isRetryable: true,
    });
  }
  if ("stalls" in reply) return stalled(abortSignal);
  if ("text" in reply) return [{ type: "text", text: reply.text }];
  return Array.from({ length: reply.calls }, (_, n) => {
    const toolCallId = callId(request.index, n + 1);
    const input = JSON.stringify({ id: reply.same ?? toolCallId });
    return { type: "tool-call", toolCallId, toolName: "work", input };
  });
}

function stalled(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

function textOf(part: Exclude<CallOptions["prompt"][number]["content"], string>[number]): string {
  if (part.type === "text") return part.text;
  return part.type === "tool-result" && "value" in part.output ? String(part.output.value) : "";
}

/** What a caller has after a run, beside the messages. */
export interface RunResult {
  text: string | undefined;
  error: unknown;
  finishReason: string | undefined;
  /** Why a processor ended the run, if one did. */
  tripwire: string | undefined;
}

/** Gives a prompt with `generate()`, and adds it and what came of it to the messages. */
export async function runWithGenerate(
  agent: Agent,
  messages: Message[],
  options: RunOptions,
): Promise<RunResult> {
  const steps = withPrompt(messages, options);
  try {
    const result = await agent.generate(messages, steps.options);
    messages.push(...(result.response.messages ?? steps.messages));
    return runResult(result);
  } catch (error) {
    messages.push(...steps.messages);
    return runResult({ error });
  }
}

/** Gives a prompt with `stream()`, and adds it and what came of it to the messages. */
export async function runWithStream(
  agent: Agent,
  messages: Message[],
  options: RunOptions,
): Promise<RunResult> {
  const steps = withPrompt(messages, options);
  const stream = await agent.stream(messages, steps.options);
  let text = "";
  let error: unknown;
  for await (const chunk of stream.fullStream) {
    if (chunk.type === "step-start") text = "";
    if (chunk.type === "text-delta") text += chunk.payload.text;
    if (chunk.type === "error") error = chunk.payload.error;
  }
  messages.push(...steps.messages);
  return error
    ? runResult({ error })
    : runResult({ text, finishReason: await stream.finishReason, tripwire: stream.tripwire });
}

function runResult({
  text,
  error,
  finishReason,
  tripwire,
}: {
  text?: string;
  error?: unknown;
  finishReason?: string | undefined;
  tripwire?: { reason: string } | undefined;
}): RunResult {
  return { text: text || undefined, error, finishReason, tripwire: tripwire?.reason };
}

/** Adds a prompt, and collects the messages of each step: after a run that throws, a caller has only those. */
function withPrompt(history: Message[], options: RunOptions) {
  history.push({ role: "user", content: "go" });
  const steps = {
    messages: [] as Message[],
    options: {
      ...options,
      onStepFinish: ({ response }: { response: { messages?: unknown } }) => {
        steps.messages = (response.messages ?? []) as Message[];
      },
    },
  };
  return steps;
}

/** Calls of the transcript without a result. */
export function orphansIn(messages: readonly Message[]): number {
  const parts = messages.flatMap<Exclude<Message["content"], string>[number]>(({ content }) =>
    typeof content === "string" ? [] : content,
  );
  const answered = new Set(parts.map((part) => part.type === "tool-result" && part.toolCallId));
  return parts.filter((part) => part.type === "tool-call" && !answered.has(part.toolCallId)).length;
}

const NOT_YET = "not yet";
const notYet = {
  classTools: NOT_YET,
  approvals: NOT_YET,
  structured: NOT_YET,
  transparent: NOT_YET,
  runsAtOnce: NOT_YET,
};

/** Mastra. */
export const host: ScriptedHost = {
  name: "turn-limit/mastra",
  can: { ...everything, ...notYet, configure: "each call has a governor of its own" },
  play,
  playWithSubAgents,
  turnsAtOnce,
  make: limitAgent,
};
