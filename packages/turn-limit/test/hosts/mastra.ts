import { Mastra } from "@mastra/core";
import { Agent, type AgentConfig, type MastraLanguageModel } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import { StreamErrorRetryProcessor } from "@mastra/core/processors";
import { RequestContext } from "@mastra/core/request-context";
import { InMemoryStore } from "@mastra/core/storage";
import type { FullOutput, MastraModelOutput } from "@mastra/core/stream";
import { createTool, Tool, type ToolAction } from "@mastra/core/tools";
import { APICallError } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { z } from "zod";
import {
  type AdapterOptions,
  limitAgent,
  type RunInfo,
  type RunOptions,
} from "../../src/adapters/mastra/index.ts";
import {
  callsOf,
  everything,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
  type ScriptedTool,
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
  const note = (word: string) => void seen.callbacks.push(word);
  const agent = scriptedAgent({
    model: scriptedModel((options) => {
      note(options.abortSignal ? "request with a signal" : "request");
      return answerTo(options, seen.requests, scenario.model);
    }, scenario.usage),
    execute: (id, { abortSignal }) => {
      note(abortSignal ? "call with a signal" : "call");
      seen.executed.push(id);
      return scenario.onExecute?.(id, abortSignal);
    },
    ...(scenario.onSubmit && {
      submit: (found: string) => {
        scenario.onSubmit?.(found);
        seen.submitted.push(found);
      },
    }),
    ...scenario.tool,
  });
  const governed = limitAgent(limits);
  const own: RunOptions = {
    ...(signal && { abortSignal: signal }),
    ...notedBy(note),
    ...(scenario.endsAfterCalls && { stopWhen: () => true }),
  };
  const form = scenario.structured ? { structuredOutput: { schema: z.object({ found: z.string() }) } } : {};
  const messages: Message[] = [];
  for (let prompt = 0; prompt < prompts; prompt += 1) {
    const run = streaming ? runWithStream : runWithGenerate;
    // The type of the answer does not matter here.
    const options = { ...own, ...form } as RunOptions;
    const result = await run(
      agent,
      messages,
      scenario.ungoverned ? options : governed.options(options),
      scenario.tool?.approve,
    );
    seen.answer = result.text;
    seen.error = result.error;
    seen.outcomes.push(governed.outcome);
  }
  seen.orphans = orphansIn(messages);
  return seen;
}

/** Callbacks of the caller's own. */
function notedBy(note: (word: string) => void): RunOptions {
  return {
    prepareStep: ({ stepNumber }) => note(`prepareStep ${stepNumber}`),
    onStepFinish: ({ finishReason }) => note(`onStepFinish ${finishReason}`),
    onIterationComplete: ({ iteration, isFinal, finishReason }) =>
      note(`onIterationComplete ${iteration} ${isFinal} ${finishReason}`),
    onChunk: ({ type }) => note(`onChunk ${type}`),
    onFinish: ({ finishReason }) => note(`onFinish ${finishReason}`),
    onError: ({ error }) => note(`onError ${error}`),
    onAbort: () => note("onAbort"),
  };
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
    worker(0, () => {}).generate("go", governed.subAgent(requestContext)),
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
      scriptedAgent({ model, execute() {} }).generate("help", governed.subAgent(requestContext)),
  });
  const { text, error } = await runWithGenerate(agent, [], governed.options());
  return { ...seen, answer: text, error, outcomes: [governed.outcome] };
}

/** A run for each context, on the same agent and with the same options but for the context. */
async function playAtOnce({ limits, model: script }: Played, contexts: readonly { readonly name: string }[]) {
  const given = contexts.map((context) => new RequestContext([["context", context]]));
  const plain = (run: RunInfo): RunInfo => ({
    ...run,
    context: (run.context as RequestContext).get("context"),
  });
  const governed = limitAgent({
    ...limits,
    ask: (question, signal, run) => limits.ask?.(question, signal, plain(run)),
    onOutcome: (outcome, run) => limits.onOutcome?.(outcome, plain(run)),
  });
  const model = scriptedModel((options) => answerTo(options, [], script));
  const agent = scriptedAgent({ model, execute() {} });
  const options = governed.options();
  const results = await Promise.all(
    given.map((requestContext) => agent.generate("go", { ...options, requestContext })),
  );
  return results.map((result) => governed.outcomeOf(result));
}

/** An agent with the tool `work`. Its failed requests are retried by a processor, unless told otherwise. */
export function scriptedAgent({
  model,
  execute,
  submit,
  classBased,
  approve,
  ...more
}: {
  model: MockLanguageModelV4;
  execute: Execute;
  submit?: (found: string) => void;
} & ScriptedTool &
  Pick<
    AgentConfig,
    "maxRetries" | "errorProcessors" | "agents" | "defaultOptions" | "memory" | "tools" | "durable"
  >): Agent {
  const definition = {
    id: "work",
    description: "Does a bit of work",
    inputSchema: z.object({ id: z.string() }),
    ...(approve && { requireApproval: true }),
  };
  const work = classBased
    ? new Work(definition, execute)
    : createTool({ ...definition, execute: ({ id }, context) => done(execute(id, context)) });
  const agent = new Agent({
    id: "worker",
    name: "worker",
    instructions: "You work.",
    // Mastra knows the types of a slightly older version of the same specification.
    model: model as unknown as MastraLanguageModel,
    tools: { work, ...(submit && { submit: submitTool(submit) }) },
    errorProcessors: [new StreamErrorRetryProcessor({ maxRetries: RETRIES })],
    maxProcessorRetries: RETRIES,
    ...more,
  });
  // A run that waits for a person is kept in a store.
  if (approve) new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  agent.__setLogger(noopLogger);
  return agent;
}

/** The tool with which the agent gives its answer. */
function submitTool(submit: (found: string) => void) {
  return createTool({
    id: "submit",
    description: "Gives the answer",
    inputSchema: z.object({ found: z.string() }),
    execute: async ({ found }) => {
      submit(found);
      return "accepted";
    },
  });
}

type Execute = (
  id: string,
  context: { requestContext?: RunOptions["requestContext"]; abortSignal?: AbortSignal },
) => unknown;

async function done(result: unknown): Promise<string> {
  const text = await result;
  return typeof text === "string" ? text : "done";
}

/** A tool of a class of one's own. */
class Work extends Tool<{ id: string }, string> {
  readonly #work: Execute;

  constructor(definition: Omit<ToolAction<{ id: string }, string>, "execute">, work: Execute) {
    super({ ...definition, execute: (input, context) => this.work(input, context) });
    this.#work = work;
  }

  work({ id }: { id: string }, context: Parameters<Execute>[1]): Promise<string> {
    return done(this.#work(id, context));
  }
}

/** A model that answers what it is told to, streaming or not. */
export function scriptedModel(
  answer: (options: CallOptions) => Answer["content"] | Promise<Answer["content"]>,
  reported?: Scenario["usage"],
): MockLanguageModelV4 {
  const tokens = (count: number) => (reported === "none" ? undefined : reported === "zero" ? 0 : count);
  const usage: Answer["usage"] = {
    inputTokens: { total: tokens(100), noCache: tokens(100), cacheRead: tokens(0), cacheWrite: tokens(0) },
    outputTokens: { total: tokens(20), text: tokens(20), reasoning: tokens(0) },
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
  { prompt, tools = [], toolChoice, abortSignal }: CallOptions,
  requests: SeenRequest[],
  model: Scenario["model"],
): Promise<Answer["content"]> {
  const texts = prompt.flatMap(({ content }) =>
    typeof content === "string" ? [content] : content.map(textOf),
  );
  const request: SeenRequest = {
    index: requests.length + 1,
    tools: tools.map(({ name }) => name),
    ...(toolChoice?.type === "tool" && { forced: toolChoice.toolName }),
    texts,
  };
  requests.push(request);
  const reply = model(request, abortSignal);
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
  return callsOf(reply, request.index).map(({ id, tool, args }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: tool,
    input: JSON.stringify(args),
  }));
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

type Approve = (id: string) => boolean;
/** A call that waits for a person. */
interface Pending {
  toolCallId: string;
  args: { id: string };
}

/** Gives a prompt with `generate()`, and adds it and what came of it to the messages. */
export async function runWithGenerate(
  agent: Agent,
  messages: Message[],
  options: RunOptions,
  approve?: Approve,
): Promise<RunResult> {
  const steps = withPrompt(messages, options);
  try {
    let result: FullOutput<unknown> = await agent.generate(messages, steps.options);
    while (approve && result.finishReason === "suspended") {
      const { toolCallId, args } = result.suspendPayload as Pending;
      const reply = { ...steps.options, runId: result.runId ?? "", toolCallId };
      result = approve(args.id)
        ? await agent.approveToolCallGenerate(reply)
        : await agent.declineToolCallGenerate(reply);
    }
    messages.push(...(result.response.messages ?? steps.messages));
    return runResult({ ...result, text: result.object ? JSON.stringify(result.object) : result.text });
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
  approve?: Approve,
): Promise<RunResult> {
  const steps = withPrompt(messages, options);
  let stream: MastraModelOutput<unknown> = await agent.stream(messages, steps.options);
  let streamed = await readStream(stream);
  while (approve && streamed.pending) {
    const { toolCallId, args } = streamed.pending;
    const reply = { ...steps.options, runId: stream.runId, toolCallId };
    stream = approve(args.id) ? await agent.approveToolCall(reply) : await agent.declineToolCall(reply);
    streamed = await readStream(stream);
  }
  messages.push(...steps.messages);
  if (streamed.error) return runResult({ error: streamed.error });
  return runResult({
    text: streamed.text,
    finishReason: await stream.finishReason,
    tripwire: stream.tripwire,
  });
}

async function readStream({ fullStream }: MastraModelOutput<unknown>) {
  const read: { text: string; error?: unknown; pending?: Pending } = { text: "" };
  for await (const chunk of fullStream) {
    if (chunk.type === "step-start") read.text = "";
    if (chunk.type === "text-delta") read.text += chunk.payload.text;
    if (chunk.type === "error") read.error = chunk.payload.error;
    if (chunk.type === "tool-call-approval") read.pending = chunk.payload as unknown as Pending;
  }
  return read;
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
  const onStepFinish: RunOptions["onStepFinish"] = async (step) => {
    steps.messages = (step.response.messages ?? []) as Message[];
    await options.onStepFinish?.(step);
  };
  const steps = { messages: [] as Message[], options: { ...options, onStepFinish } };
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

/** Mastra. */
export const host: ScriptedHost = {
  name: "turn-limit/mastra",
  can: {
    ...everything,
    configure: "each call has a governor of its own",
  },
  play,
  playWithSubAgents,
  playAtOnce,
  turnsAtOnce,
  make: limitAgent,
};
