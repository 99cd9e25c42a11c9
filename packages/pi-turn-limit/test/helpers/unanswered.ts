import type { ChatMessage, PiEvent } from "@turn-limit/rig";

/** A message as Pi keeps it, as far as tool calls go. */
export interface PiMessage {
  role: string;
  content?: unknown;
  toolCallId?: string;
}

/** The messages of a JSON stream, in order. */
export function messagesIn(events: readonly PiEvent[]): PiMessage[] {
  return events.filter(({ type }) => type === "message_end").map(({ message }) => message as PiMessage);
}

/** The tool calls among Pi's own messages that have no result. */
export function unanswered(messages: readonly PiMessage[]): string[] {
  const calls = messages.flatMap(({ role, content }) =>
    role === "assistant" && Array.isArray(content)
      ? content.filter(({ type }) => type === "toolCall").map(({ id }): string => id)
      : [],
  );
  const results = messages.map(({ toolCallId }) => toolCallId);
  return calls.filter((id) => !results.includes(id));
}

/** The tool calls that a request mentions without their result, which providers refuse. */
export function unansweredInRequest(messages: readonly ChatMessage[]): string[] {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls as { id: string }[]);
  const results = messages.map(({ tool_call_id }) => tool_call_id);
  return calls.map(({ id }) => id).filter((id) => !results.includes(id));
}
