import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { StructuredTool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import {
  type AgentMiddleware,
  AIMessage,
  type BaseMessage,
  createAgent,
  HumanMessage,
  humanInTheLoopMiddleware,
  modelRetryMiddleware,
  providerStrategy,
  ToolMessage,
  tool,
  toolStrategy,
} from "langchain";
import { z } from "zod";
import { turnLimitMiddleware } from "../../src/adapters/langchain/index.ts";
import {
  callId,
  callsOf,
  everything,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
  type SeenRequest,
} from "../../src/testing/scripted-host.ts";

const found = z.object({ found: z.string() });

interface CallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
}

/** A chat model that answers as the scenario says, in one piece or as a stream. */
export class ScriptedModel extends BaseChatModel<CallOptions> {
  readonly requests: SeenRequest[];
  /** Whether each request had a signal. */
  readonly signals: boolean[] = [];
  readonly #script: Scenario["model"];
  readonly #usage: Scenario["usage"];

  /** Models that are given the same `requests` count on. */
  constructor(script: Scenario["model"], requests: SeenRequest[] = [], usage?: Scenario["usage"]) {
    super({});
    this.#usage = usage;
    this.#script = script;
    this.requests = requests;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: BindToolsInput[], settings: object = {}) {
    return this.withConfig({ tools, ...settings });
  }

  async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const message = await this.#answer(messages, options);
    return { generations: [{ text: message.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const message = await this.#answer(messages, options);
    const chunk = new ChatGenerationChunk({ text: message.text, message });
    yield chunk;
    await run?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, { chunk });
  }

  async #answer(
    messages: BaseMessage[],
    { tools = [], tool_choice, signal }: this["ParsedCallOptions"],
  ): Promise<AIMessageChunk> {
    signal?.throwIfAborted();
    const request: SeenRequest = {
      index: this.requests.length + 1,
      tools: tools.map(nameOf),
      forced: typeof tool_choice === "object" ? nameOf(tool_choice) : undefined,
      texts: messages.map(({ text }) => text),
    };
    this.requests.push(request);
    this.signals.push(signal !== undefined);
    const reply = this.#script(request, signal);
    if ("stalls" in reply) await stalled(signal);
    if ("fails" in reply) throw Object.assign(new Error("overloaded"), { status: 529 });
    const calls = "calls" in reply ? callsOf(reply, request.index) : [];
    // With structured output by way of a tool, that tool's call is the answer.
    const answerTool = "text" in reply && request.tools.find((name) => name.startsWith("extract-"));
    return new AIMessageChunk({
      content: "text" in reply && !answerTool ? reply.text : "",
      tool_call_chunks: answerTool
        ? [
            {
              type: "tool_call_chunk",
              index: 0,
              id: callId(request.index, 1),
              name: answerTool,
              args: reply.text,
            },
          ]
        : calls.map(({ id, tool, args }, index) => ({
            type: "tool_call_chunk",
            index,
            id,
            name: tool,
            args: JSON.stringify(args),
          })),
      ...(this.#usage !== "none" && (this.#reported() as object)),
    });
  }

  #reported() {
    const [input_tokens, output_tokens] = this.#usage === "zero" ? [0, 0] : [100, 20];
    return { usage_metadata: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens } };
  }
}

/** A tool's name, also in the form in which a provider gets it. */
function nameOf(offered: BindToolsInput): string {
  const { name, function: inner } = offered as { name?: string; function?: { name: string } };
  return String(name ?? inner?.name);
}

function stalled(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

/** The tool of the scenarios. */
export function workTool(work: (id: string, signal?: AbortSignal) => unknown, returnDirect = false) {
  return tool(
    async ({ id }, { signal }: { signal?: AbortSignal }) => {
      const result = await work(id, signal);
      return typeof result === "string" ? result : "done";
    },
    { name: "work", description: "Does some work.", schema: z.object({ id: z.string() }), returnDirect },
  );
}

/** The tool with which the agent gives its answer. */
function submitTool(submit: (found: string) => void) {
  return tool(
    async ({ found: answer }) => {
      submit(answer);
      return "accepted";
    },
    { name: "submit", description: "Gives the answer.", schema: found },
  );
}

/** The same as an object of a class. */
class WorkTool extends StructuredTool {
  readonly name = "work";
  readonly description = "Does some work.";
  readonly schema = z.object({ id: z.string() });
  readonly #work: (id: string) => unknown;

  constructor(work: (id: string) => unknown) {
    super();
    this.#work = work;
  }

  protected async _call({ id }: { id: string }): Promise<string> {
    const result = await this.#work(id);
    return typeof result === "string" ? result : "done";
  }
}

/** The framework's own retry of requests that failed, without its pauses. An answer of another form is none. */
export function quickRetry() {
  const retryOn = (error: Error) => "status" in error;
  return plain(modelRetryMiddleware({ initialDelayMs: 0, jitter: false, onFailure: "error", retryOn }));
}

/** LangChain's types for the schemas of its own middleware do not allow for `exactOptionalPropertyTypes`. */
export function plain(middleware: object) {
  return middleware as AgentMiddleware<undefined, undefined, unknown>;
}

/** Calls of a transcript that have no result. */
export function orphansOf(messages: BaseMessage[]): number {
  const answered = new Set(messages.filter(ToolMessage.isInstance).map((result) => result.tool_call_id));
  const calls = messages.filter(AIMessage.isInstance).flatMap((answer) => answer.tool_calls ?? []);
  return calls.filter(({ id }) => id === undefined || !answered.has(id)).length;
}

/** The text of the final answer of a transcript, if it ends with one. */
export function answerOf(messages: BaseMessage[]): string | undefined {
  const last = messages.at(-1);
  return AIMessage.isInstance(last) && !last.tool_calls?.length ? last.text : undefined;
}

/** A person has to approve each call. */
function approvals() {
  const decisions = { allowedDecisions: ["approve", "reject"] };
  return plain(humanInTheLoopMiddleware({ interruptOn: { work: decisions } } as never));
}

interface Interrupted {
  __interrupt__?: { value: { actionRequests: { args: { id: string } }[] } }[];
}

/** What goes on after an interrupt: what the person says of each call. */
function decided({ __interrupt__ }: Interrupted, approve: (id: string) => boolean): Command | undefined {
  const calls = __interrupt__?.flatMap(({ value }) => value.actionRequests);
  const decisions = calls?.map(({ args }) => ({ type: approve(args.id) ? "approve" : "reject" }));
  return decisions && new Command({ resume: { decisions } });
}

const go = () => ({ messages: [new HumanMessage("go")] });

/** `createAgent` with a thread that is saved, so that the transcript can be read after an error too. */
async function play({
  limits,
  model,
  streaming,
  signal,
  prompts = 1,
  onExecute,
  onSubmit,
  tool: { classBased, approve } = {},
  structured,
  endsAfterCalls,
  ungoverned,
  usage,
}: Scenario): Promise<Observed> {
  const scripted = new ScriptedModel(model, [], usage);
  const executed: string[] = [];
  const callbacks: string[] = [];
  const execute = (id: string, callSignal?: AbortSignal) => {
    executed.push(id);
    callbacks.push(`call with signal: ${callSignal !== undefined}`);
    return onExecute?.(id, callSignal);
  };
  const submitted: string[] = [];
  const submit = (answer: string) => {
    onSubmit?.(answer);
    submitted.push(answer);
  };
  const governed = turnLimitMiddleware(limits);
  const strategy = streaming ? providerStrategy(found) : toolStrategy(found);
  const agent = createAgent({
    model: scripted,
    tools: [
      classBased ? new WorkTool(execute) : workTool(execute, endsAfterCalls),
      ...(onSubmit ? [submitTool(submit)] : []),
    ],
    middleware: [
      ...(ungoverned ? [] : [governed]),
      quickRetry(),
      ...(approve ? [approvals()] : []),
    ] as (typeof governed)[],
    ...(structured && { responseFormat: strategy as never }),
    checkpointer: new MemorySaver(),
  }).withConfig(governed.config);
  const thread = { configurable: { thread_id: "thread" } };
  const config = { ...thread, ...(signal && { signal }), callbacks: [told(callbacks)] };

  async function invoke(input: ReturnType<typeof go> | Command): Promise<Final> {
    if (!streaming) return (await agent.invoke(input, config)) as Final;
    let final: Final = { messages: [] };
    for await (const [mode, chunk] of await agent.stream(input, {
      ...config,
      streamMode: ["values", "messages"],
    })) {
      if (mode === "values") final = { ...final, ...(chunk as Final) };
    }
    return final;
  }

  async function run(): Promise<Final> {
    let input: ReturnType<typeof go> | Command | undefined = go();
    let final: Final = { messages: [] };
    while (input) {
      final = await invoke(input);
      input = approve && decided(final, approve);
    }
    return final;
  }

  const outcomes: Observed["outcomes"] = [];
  let error: unknown;
  let answer: string | undefined;
  for (let prompt = 0; prompt < prompts; prompt += 1) {
    try {
      const final = await run();
      outcomes.push(governed.outcomeOf(final));
      answer = structured ? JSON.stringify(final.structuredResponse) : answerOf(final.messages);
      error = undefined;
    } catch (thrown) {
      outcomes.push(governed.outcome);
      error = thrown;
      answer = undefined;
    }
  }
  const { messages } = (await agent.graph.getState(thread)).values as { messages: BaseMessage[] };
  return {
    requests: scripted.requests,
    executed,
    submitted,
    orphans: orphansOf(messages),
    answer,
    outcomes,
    error,
    callbacks: [...callbacks, ...scripted.signals.map((had) => `request with signal: ${had}`)],
  };
}

interface Final extends Interrupted {
  messages: BaseMessage[];
  structuredResponse?: unknown;
}

/** The caller's own callbacks. They are awaited: otherwise LangChain calls them when it has time. */
function told(log: string[]) {
  return {
    awaitHandlers: true,
    handleChatModelStart: () => void log.push("request"),
    handleLLMEnd: () => void log.push("answer"),
    handleLLMError: (error: unknown) => void log.push(`request failed: ${error}`),
    handleToolStart: () => void log.push("call"),
    handleToolEnd: ({ text }: BaseMessage) => void log.push(`result: ${text}`),
    handleToolError: (error: unknown) => void log.push(`call failed: ${error}`),
  };
}

type Played = Pick<Scenario, "limits" | "model">;

/** An agent whose tool runs a sub-agent. */
async function playWithSubAgents({ limits, model: script }: Played): Promise<Observed> {
  const seen = nothingSeen();
  const governed = turnLimitMiddleware(limits);
  const model = new ScriptedModel(script);
  const worker = (work: () => unknown) =>
    createAgent({ model, tools: [workTool(work)], middleware: [governed] }).withConfig(governed.config);
  try {
    seen.answer = answerOf((await worker(() => worker(() => {}).invoke(go())).invoke(go())).messages);
  } catch (error) {
    seen.error = error;
  }
  seen.outcomes.push(governed.outcome);
  return { ...seen, requests: model.requests };
}

/** Runs of one agent, each with a context. */
function playAtOnce(
  { limits, model }: Played,
  contexts: readonly { readonly name: string }[],
): Promise<Observed["outcomes"]> {
  const governed = turnLimitMiddleware(limits);
  const agent = createAgent({
    model: new ScriptedModel(model),
    tools: [workTool(() => {})],
    middleware: [governed],
  }).withConfig(governed.config);
  return Promise.all(
    contexts.map(async (context) => governed.outcomeOf(await agent.invoke(go(), { context } as never))),
  );
}

/** LangChain's `createAgent`. */
export const host: ScriptedHost = {
  name: "turn-limit/langchain",
  can: {
    ...everything,
    configure: "each call has a governor of its own",
  },
  play,
  playWithSubAgents,
  playAtOnce,
  make: turnLimitMiddleware,
};
