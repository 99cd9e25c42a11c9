import type { ToolCall } from "@langchain/core/messages";
import { AIMessage, type BaseMessage, ToolMessage } from "langchain";

/** The calls of the last answer that have no result. */
export function pendingCalls(messages: BaseMessage[]): ToolCall[] {
  const at = messages.findLastIndex(AIMessage.isInstance);
  const answer = messages[at];
  if (!AIMessage.isInstance(answer)) return [];
  const answered = new Set(
    messages.slice(at).map((message) => ToolMessage.isInstance(message) && message.tool_call_id),
  );
  return (answer.tool_calls ?? []).filter(({ id }) => id === undefined || !answered.has(id));
}
