import type { ToolCall, UsageMetadata } from "@langchain/core/messages";
import { AIMessage, type BaseMessage, ToolMessage } from "langchain";
import type { Model } from "../../core/meter/model.ts";
import type { TurnAnswer } from "../../run/turn.ts";
import { reportedUsage } from "../shared/reported-usage.ts";

/** What an answer says it took, and what gave it: as the provider says, or else as the model that was asked does. */
export function reportOf(message: AIMessage | undefined, asked: object = {}): TurnAnswer {
  const usage = message?.usage_metadata as UsageMetadata | undefined;
  return {
    ...reportedUsage({
      totalInput: usage?.input_tokens,
      output: usage?.output_tokens,
      cacheRead: usage?.input_token_details?.cache_read,
      cacheWrite: usage?.input_token_details?.cache_creation,
    }),
    model: modelOf(message, asked),
  };
}

function modelOf(message: AIMessage | undefined, asked: { model?: unknown; modelName?: unknown }) {
  const told: Record<string, unknown> = message?.response_metadata ?? {};
  const id = [told.model_name, told.model, asked.model, asked.modelName].find(isText);
  if (id === undefined) return undefined;
  const model: Model = { id, ...(isText(told.model_provider) && { provider: told.model_provider }) };
  return model;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The calls of the last answer that have no result. */
export function pendingCalls(messages: BaseMessage[]): ToolCall[] {
  const { tool_calls = [] } = messages.findLast(AIMessage.isInstance) ?? {};
  const after = messages.slice(messages.findLastIndex(AIMessage.isInstance));
  return tool_calls.filter((call) => call.id === undefined || !resultOf(call, after));
}

/** The result of a call, if the messages have one. */
export function resultOf({ id }: ToolCall, messages: BaseMessage[]): ToolMessage | undefined {
  return messages.filter(ToolMessage.isInstance).findLast((message) => message.tool_call_id === id);
}
