import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { MemorySaver } from "@langchain/langgraph";
import {
  type AgentMiddleware,
  AIMessage,
  type BaseMessage,
  createAgent,
  HumanMessage,
  modelRetryMiddleware,
  ToolMessage,
  tool,
} from "langchain";
import { z } from "zod";
import { turnLimitMiddleware } from "../../src/adapters/langchain.ts";
import {
  callId,
  everything,
  type ModelReply,
  nothingSeen,
  type Observed,
  type Scenario,
  type ScriptedHost,
  type SeenRequest,
} from "../../src/testing/scripted-host.ts";

/** A chat model that answers as the scenario says, in one piece or as a stream. */
export class ScriptedModel extends BaseChatModel<BaseChatModelCallOptions & { tools?: BindToolsInput[] }> {
  readonly requests: SeenRequest[];
  readonly #script: (request: SeenRequest) => ModelReply;

  /** Models that are given the same `requests` count on. */
  constructor(script: (request: SeenRequest) => ModelReply, requests: SeenRequest[] = []) {
    super({});
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
    { tools = [], signal }: this["ParsedCallOptions"],
  ): Promise<AIMessageChunk> {
    signal?.throwIfAborted();
    const request: SeenRequest = {
      index: this.requests.length + 1,
      tools: tools.map((offered) => String("name" in offered ? offered.name : offered)),
      texts: messages.map(({ text }) => text),
    };
    this.requests.push(request);
    const reply = this.#script(request);
    if ("stalls" in reply) await stalled(signal);
    if ("fails" in reply) throw Object.assign(new Error("overloaded"), { status: 529 });
    const { calls, same } = "calls" in reply ? reply : { calls: 0 };
    return new AIMessageChunk({
      content: "text" in reply ? reply.text : "",
      tool_call_chunks: Array.from({ length: calls }, (_, n) => {
        const id = callId(request.index, n + 1);
        const args = JSON.stringify({ id: same ?? id });
        return { type: "tool_call_chunk", index: n, id, name: "work", args };
      }),
      ...({ usage_metadata: { input_tokens: 100, output_tokens: 20, total_tokens: 120 } } as object),
    });
  }
}

function stalled(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

/** The tool of the scenarios. */
export function workTool(work: (id: string) => unknown) {
  return tool(
    async ({ id }) => {
      const result = await work(id);
      return typeof result === "string" ? result : "done";
    },
    { name: "work", description: "Does some work.", schema: z.object({ id: z.string() }) },
  );
}

/** The framework's own retry, without its pauses. */
export function quickRetry() {
  return plain(modelRetryMiddleware({ initialDelayMs: 0, jitter: false, onFailure: "error" }));
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

/** `createAgent` with a thread that is saved, so that the transcript can be read after an error too. */
async function play({
  limits,
  model,
  streaming,
  signal,
  prompts = 1,
  onExecute,
}: Scenario): Promise<Observed> {
  const scripted = new ScriptedModel(model);
  const executed: string[] = [];
  const work = workTool((id) => {
    executed.push(id);
    return onExecute?.(id);
  });
  const governed = turnLimitMiddleware(limits);
  const agent = createAgent({
    model: scripted,
    tools: [work],
    middleware: [governed, quickRetry()],
    checkpointer: new MemorySaver(),
  }).withConfig(governed.config);
  const thread = { configurable: { thread_id: "thread" } };

  async function run() {
    const input = { messages: [new HumanMessage("go")] };
    const config = { ...thread, ...(signal && { signal }) };
    if (!streaming) return (await agent.invoke(input, config)).turnLimitOutcome;
    let outcome: Observed["outcomes"][number];
    for await (const [mode, chunk] of await agent.stream(input, {
      ...config,
      streamMode: ["values", "messages"],
    })) {
      if (mode === "values") outcome = chunk.turnLimitOutcome;
    }
    return outcome;
  }

  const outcomes: Observed["outcomes"] = [];
  let error: unknown;
  for (let prompt = 0; prompt < prompts; prompt += 1) {
    try {
      outcomes.push(await run());
      error = undefined;
    } catch (thrown) {
      outcomes.push(governed.outcome);
      error = thrown;
    }
  }
  const { messages } = (await agent.graph.getState(thread)).values as { messages: BaseMessage[] };
  return {
    requests: scripted.requests,
    executed,
    orphans: orphansOf(messages),
    answer: answerOf(messages),
    outcomes,
    error,
    callbacks: [],
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
  const go = { messages: [new HumanMessage("go")] };
  try {
    seen.answer = answerOf((await worker(() => worker(() => {}).invoke(go)).invoke(go)).messages);
  } catch (error) {
    seen.error = error;
  }
  seen.outcomes.push(governed.outcome);
  return { ...seen, requests: model.requests };
}

const NOT_YET = "not yet";
const notYet = {
  forgets: NOT_YET,
  classTools: NOT_YET,
  approvals: NOT_YET,
  structured: NOT_YET,
  transparent: NOT_YET,
  runsAtOnce: NOT_YET,
};

/** LangChain's `createAgent`. */
export const host: ScriptedHost = {
  name: "turn-limit/langchain",
  can: { ...everything, ...notYet, configure: "each call has a governor of its own" },
  play,
  playWithSubAgents,
  make: turnLimitMiddleware,
};
