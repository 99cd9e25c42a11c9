import type { IncomingHttpHeaders } from "node:http";

/** A JSON object, as far as nobody has looked into it. */
export type JsonObject = Record<string, unknown>;

/** The protocols that the scripted provider speaks. */
export type ProtocolName = "messages" | "responses" | "chat" | "gemini";

/** One message of a conversation, the same for every protocol. */
export interface Message {
  /** Who speaks. The results of tools have the role `tool`, whatever the protocol calls them. */
  role: "system" | "user" | "assistant" | "tool";
  text: string;
  /** The names of the tools that this message calls. */
  toolCalls: readonly string[];
}

/** What a request asks of the model, the same for every protocol. */
export interface Conversation {
  model: string;
  streams: boolean;
  /** Every message, system prompts included, in the order of the request. */
  messages: readonly Message[];
  /** The names of the tools on offer. A tool inside a namespace is `namespace.tool`. */
  toolNames: readonly string[];
  /** Whether the request says that the model must not call a tool. */
  toolsForbidden: boolean;
}

/** One request that reached the provider, whether a script answered it or not. */
export interface ReceivedRequest {
  method: string;
  /** The path with its query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The bytes of the body, as they came. */
  bytes: Buffer;
}

/** One request for an answer of the model. */
export interface ProviderRequest extends ReceivedRequest, Conversation {
  /** Which request this is, counted from 1 over the life of the provider. */
  index: number;
  protocol: ProtocolName;
  body: JsonObject;
  /** What became of it: `aborted` if the other side hung up before the answer was complete. */
  ended: "not yet" | "answered" | "cut off" | "aborted";
}

/** The text of the newest message of a person, without the results of tools. */
export function lastUserText(request: Conversation): string {
  return request.messages.findLast((message) => message.role === "user")?.text ?? "";
}

/** All text of a request that has the role given, such as the system prompt. */
export function textOfRole(request: Conversation, role: Message["role"]): string {
  return request.messages
    .filter((message) => message.role === role)
    .map((message) => message.text)
    .join("\n");
}

/**
 * Which turn of the conversation a request asks for, counted from 1: how many answers called a tool so far, and one. A
 * text that was added to a request starts nothing over. A sub-agent of Codex inherits the conversation of its parent,
 * which does not count.
 */
export function turnOfConversation({ messages }: Conversation): number {
  const inherited = messages.findLastIndex((message) => message.text.includes("is inherited parent context"));
  return messages.slice(inherited + 1).filter((message) => message.toolCalls.length > 0).length + 1;
}
