import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ChatResult } from "@langchain/core/outputs";
import {
  type AgentMiddleware,
  AIMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  modelCallLimitMiddleware,
  tool,
} from "langchain";
import type * as Adapter from "turn-limit/langchain";
import { z } from "zod";
import type { Limiter, Runner } from "./runner.ts";

class ScriptedModel extends BaseChatModel {
  requests = 0;
  readonly #turns: number;

  constructor(turns: number) {
    super({});
    this.#turns = turns;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools() {
    return this.withConfig({});
  }

  async _generate(): Promise<ChatResult> {
    this.requests += 1;
    const last = this.requests % this.#turns === 0;
    const message = new AIMessage({
      content: last ? "Done." : "",
      tool_calls: last ? [] : [{ type: "tool_call", id: `call-${this.requests}`, name: "work", args: {} }],
      ...({ usage_metadata: { input_tokens: 100, output_tokens: 20, total_tokens: 120 } } as object),
    });
    return { generations: [{ text: message.text, message }] };
  }
}

const emptyMiddleware = createMiddleware({
  name: "EmptyMiddleware",
  // A run that is resumed is found by what the state of its thread has.
  stateSchema: z.object({ outcome: z.any().optional(), _run: z.any().optional() }),
  beforeAgent: () => undefined,
  wrapModelCall: (request, handler) => handler(request),
  wrapToolCall: (request, handler) => handler(request),
  afterAgent: () => undefined,
});

function middlewareOf(limiter: Limiter, turns: number, adapter: typeof Adapter): object[] {
  if (limiter === "none") return [];
  if (limiter === "hooks") return [emptyMiddleware];
  if (limiter === "ours") return [adapter.turnLimitMiddleware({ turns, steps: turns })];
  // LangChain's types for the options of its own middleware do not allow for `exactOptionalPropertyTypes`.
  return [modelCallLimitMiddleware({ runLimit: turns } as never)];
}

/** LangChain's `createAgent`, made once. LangGraph's recursion limit is high enough not to matter. */
export const runner: Runner<typeof Adapter> = {
  framework: "LangChain",
  entry: "./langchain",
  native: "modelCallLimitMiddleware",
  hooks: "an empty middleware",
  // A run of 1,000 turns takes more than a second without any limiter.
  lengths: [10, 500],
  prepare({ turns, limiter, work }, adapter) {
    const worker = tool(work, { name: "work", description: "Works.", schema: z.object({}) });
    const model = new ScriptedModel(turns);
    const middleware = middlewareOf(limiter, turns, adapter) as AgentMiddleware<
      undefined,
      undefined,
      unknown
    >[];
    const agent = createAgent({ model, tools: [worker], middleware }).withConfig({
      recursionLimit: 2 ** 31 - 1,
    });
    return async () => {
      const before = model.requests;
      await agent.invoke({ messages: [new HumanMessage("go")] });
      return model.requests - before;
    };
  },
};
