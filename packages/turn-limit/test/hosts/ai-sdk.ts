import {
  APICallError,
  generateText,
  hasToolCall,
  jsonSchema,
  type ModelMessage,
  Output,
  RetryError,
  simulateReadableStream,
  streamText,
  type ToolApprovalResponse,
  type ToolExecutionOptions,
  ToolLoopAgent,
  type ToolSet,
  tool,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { limitToolLoop } from "../../src/adapters/ai-sdk/index.ts";
import { isLimitExceeded } from "../../src/core/errors/limit-exceeded.ts";
import type { Outcome } from "../../src/core/governor/outcome.ts";
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

type Request = MockLanguageModelV4["doGenerateCalls"][number];
type Answer = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Chunk =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer C> ? C : never;

/** The SDK's own test model, which answers as the scenario says, in one piece or as a stream. */
export function scriptedModel(
  requests: SeenRequest[],
  model: Scenario["model"],
  onRequest: (request: Request) => void = () => {},
  usage?: Scenario["usage"],
): MockLanguageModelV4 {
  const tokens = (count: number) => (usage === "none" ? undefined : usage === "zero" ? 0 : count);
  async function answer(given: Request): Promise<Answer> {
    const { prompt, tools = [], toolChoice, abortSignal } = given;
    onRequest(given);
    const request = {
      index: requests.length + 1,
      tools: toolChoice?.type === "none" ? [] : tools.map(({ name }) => name),
      ...(toolChoice?.type === "tool" && { forced: toolChoice.toolName }),
      texts: prompt.map(textOf),
    };
    requests.push(request);
    const reply = model(request, abortSignal);
    if ("fails" in reply) throw overloaded();
    if ("stalls" in reply) return stalled(abortSignal);
    const content: Answer["content"] =
      "text" in reply
        ? [{ type: "text", text: reply.text }]
        : callsOf(reply, request.index).map(({ id, tool, args }) => ({
            type: "tool-call",
            toolCallId: id,
            toolName: tool,
            input: JSON.stringify(args),
          }));
    return {
      content,
      finishReason: { unified: "text" in reply ? "stop" : "tool-calls", raw: undefined },
      usage: {
        inputTokens: {
          total: tokens(100),
          noCache: tokens(60),
          cacheRead: tokens(40),
          cacheWrite: undefined,
        },
        outputTokens: { total: tokens(20), text: tokens(20), reasoning: undefined },
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

type Work = (id: string, options: ToolExecutionOptions<unknown>) => unknown;

const WORK_INPUT = jsonSchema<{ id: string }>({
  type: "object",
  properties: { id: { type: "string" } },
  required: ["id"],
});

const FOUND = jsonSchema<{ found: string }>({
  type: "object",
  properties: { found: { type: "string" } },
  required: ["found"],
});

/** The one tool, for a model that calls it with its own call's id. */
export function workTool(execute: Work) {
  return tool({
    inputSchema: WORK_INPUT,
    execute: async ({ id }, options) => (await execute(id, options)) ?? "done",
  });
}

/** The tool with which the agent gives its answer. */
function submitTool(submit: (found: string) => void) {
  return tool({
    inputSchema: FOUND,
    execute: ({ found }) => {
      submit(found);
      return "accepted";
    },
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

interface StepStart {
  stepNumber: number;
  provider: string;
  modelId: string;
}

type Played = Pick<Scenario, "limits" | "model">;

/** An agent whose tool runs a sub-agent. */
async function playWithSubAgents({ limits: options, model: script }: Played): Promise<Observed> {
  const seen = nothingSeen();
  const limits = limitToolLoop(options);
  const model = scriptedModel(seen.requests, script);
  const delegate = workTool(async (_, toolOptions) => {
    const inner = { model, tools: { work: workTool(() => "done") } };
    await new ToolLoopAgent(limits.subAgent(toolOptions, inner)).generate({ prompt: "help" });
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

/** A tool whose methods are on its prototype, and read a private member. */
class WorkTool {
  readonly #execute: Work;
  readonly inputSchema = WORK_INPUT;

  constructor(execute: Work) {
    this.#execute = execute;
  }

  async execute({ id }: { id: string }, options: ToolExecutionOptions<unknown>): Promise<unknown> {
    return (await this.#execute(id, options)) ?? "done";
  }
}

class WorkToolToApprove extends WorkTool {
  get needsApproval(): boolean {
    return true;
  }
}

function scriptedTool(
  execute: Work,
  { classBased, approve }: ScriptedTool = {},
): ReturnType<typeof workTool> {
  if (classBased) {
    const work: unknown = approve ? new WorkToolToApprove(execute) : new WorkTool(execute);
    return work as ReturnType<typeof workTool>;
  }
  return approve ? { ...workTool(execute), needsApproval: true } : workTool(execute);
}

/** The caller's own callbacks, each of which writes a line. */
function loggingCallbacks(lines: string[]) {
  const log = (line: string) => void lines.push(line);
  return {
    onStart: ({ tools = {} }: { tools?: ToolSet | undefined }) => log(`start: ${Object.keys(tools)}`),
    onStepStart: ({ stepNumber, provider, modelId }: StepStart) =>
      log(`step ${stepNumber} starts: ${provider} ${modelId}`),
    onLanguageModelCallStart: () => log("request"),
    onLanguageModelCallEnd: ({ finishReason }: { finishReason: string }) => log(`answer: ${finishReason}`),
    onToolExecutionStart: ({ toolCall }: { toolCall: { toolCallId: string } }) =>
      log(`call ${toolCall.toolCallId} starts`),
    onToolExecutionEnd: ({ toolOutput }: { toolOutput: { type: string } }) => log(toolOutput.type),
    onStepError: ({ error }: { error: unknown }) => log(`step fails: ${error}`),
    onAbort: () => log("aborted"),
    onEnd: ({ steps }: { steps: unknown[] }) => log(`end after ${steps.length}`),
    prepareStep: ({ stepNumber }: { stepNumber: number }) => log(`prepare ${stepNumber}`),
    stopWhen: ({ steps }: { steps: unknown[] }) => {
      log(`stop after ${steps.length}?`);
      return false;
    },
  };
}

async function play(scenario: Scenario): Promise<Observed> {
  const { limits: options, model, streaming, signal, prompts = 1, onExecute, onSubmit } = scenario;
  const { tool: toolKind, structured, ungoverned } = scenario;
  const seen = nothingSeen();
  const messages: ModelMessage[] = [];
  const limits = limitToolLoop(options);
  const log = (line: string) => void seen.callbacks.push(line);
  const work = scriptedTool((id, { abortSignal }) => {
    log(`work ${abortSignal ? "with" : "without"} a signal`);
    seen.executed.push(id);
    return onExecute?.(id, abortSignal);
  }, toolKind);
  const submit = submitTool((found) => {
    onSubmit?.(found);
    seen.submitted.push(found);
  });
  const settings = {
    model: scriptedModel(
      seen.requests,
      model,
      ({ abortSignal }) => log(`request ${abortSignal ? "with" : "without"} a signal`),
      scenario.usage,
    ),
    tools: { work, ...(onSubmit && { submit }) },
    ...(signal && { abortSignal: signal }),
    ...(structured && { output: Output.object({ schema: FOUND }) }),
    ...loggingCallbacks(seen.callbacks),
    ...(scenario.endsAfterCalls && { stopWhen: hasToolCall("work") }),
    onError: ({ error }: { error: unknown }) => {
      log(`error: ${error}`);
      seen.error = error;
    },
    onStepEnd: (step: { response: { messages: ModelMessage[] } }) => {
      log("step ends");
      messages.push(...step.response.messages);
    },
  };

  async function call(): Promise<void> {
    const before = messages.length;
    const plain = { ...settings, messages: [...messages] };
    const governed = ungoverned ? plain : limits.govern(plain);
    const result = streaming ? streamText(governed) : await generateText(governed);
    if ("consumeStream" in result) await result.consumeStream();
    const { text } = await result.finalStep;
    const answer = structured && text ? JSON.stringify(await result.output) : text;
    // The results of calls that were approved before belong to no step.
    messages.splice(before, messages.length, ...(await result.responseMessages));
    seen.answer = answer || undefined;
    const responses = approvals(messages, toolKind?.approve);
    if (responses.length === 0) return void seen.outcomes.push(limits.outcomeOf(result));
    messages.push({ role: "tool", content: responses });
    await call();
  }

  for (let prompt = 0; prompt < prompts; prompt += 1) {
    messages.push({ role: "user", content: "go" });
    seen.error = undefined;
    try {
      await call();
    } catch (error) {
      // A stream that ends before its first step has said why to `onError`.
      seen.error ??= error;
      seen.outcomes.push(limits.outcome);
    }
  }
  // What ends a request that was retried is told as the last of its errors.
  if (RetryError.isInstance(seen.error))
    seen.error = isLimitExceeded(seen.error.lastError) ? seen.error.lastError : seen.error;
  seen.orphans = orphansIn(messages);
  return seen;
}

/** What a person says to the requests at the end of the transcript. */
export function approvals(
  messages: readonly ModelMessage[],
  approve: ScriptedTool["approve"],
): ToolApprovalResponse[] {
  const content = messages.at(-1)?.content;
  if (!approve || typeof content !== "object") return [];
  return content.flatMap((part): ToolApprovalResponse[] => {
    if (part.type !== "tool-approval-request") return [];
    const { approvalId, toolCallId } = part;
    return [{ type: "tool-approval-response", approvalId, approved: approve(toolCallId) }];
  });
}

/** One call for each context. */
async function playAtOnce(
  { limits: options, model: script }: Played,
  contexts: readonly { readonly name: string }[],
): Promise<(Outcome | undefined)[]> {
  const limits = limitToolLoop(options);
  const model = scriptedModel([], script);
  const tools = { work: workTool(() => "done") };
  return Promise.all(
    contexts.map(async (runtimeContext) =>
      limits.outcomeOf(await generateText(limits.govern({ model, tools, prompt: "go", runtimeContext }))),
    ),
  );
}

/** The AI SDK. */
export const host: ScriptedHost = {
  name: "turn-limit/ai-sdk",
  can: {
    ...everything,
    configure: "each call has a governor of its own",
  },
  play,
  playWithSubAgents,
  playAtOnce,
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
