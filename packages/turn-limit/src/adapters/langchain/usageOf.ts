import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import { AIMessage } from "langchain";
import type { Usage } from "../../governor/Usage.ts";

/** What an answer took, if its provider says. An answer that became a structured response comes inside of it. */
export function usageOf(answer: AIMessage | { messages: BaseMessage[] }): { usage?: Usage } {
  const message = AIMessage.isInstance(answer) ? answer : answer.messages.find(AIMessage.isInstance);
  const usage = message?.usage_metadata as UsageMetadata | undefined;
  if (!usage) return {};
  const { cache_read: cacheRead, cache_creation: cacheWrite } = usage.input_token_details ?? {};
  return {
    usage: {
      input: usage.input_tokens - (cacheRead ?? 0) - (cacheWrite ?? 0),
      output: usage.output_tokens,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    },
  };
}
