/** A message of a chat-completions request, as far as scripts look at it. */
export interface ChatMessage {
  role: string;
  content?: unknown;
  [field: string]: unknown;
}

/** The parsed body of a chat-completions request. */
export interface ChatBody {
  model?: string;
  messages?: ChatMessage[];
  tools?: { function?: { name?: string } }[];
  [field: string]: unknown;
}

/** One request that reached the scripted model. */
export interface ModelRequest {
  /** Which request this is, counted from 1 over the life of the server. */
  index: number;
  body: ChatBody;
  messages: readonly ChatMessage[];
  /** The names of the tools on offer, in the order of the request. */
  toolNames: readonly string[];
  /** The text of the newest user message. */
  lastUserText: string;
}

/** Reads a request body into what a script wants to know of it. */
export function readModelRequest(index: number, body: ChatBody): ModelRequest {
  const messages = body.messages ?? [];
  return {
    index,
    body,
    messages,
    toolNames: (body.tools ?? []).flatMap((tool) => tool.function?.name ?? []),
    lastUserText: textOf(messages.findLast((message) => message.role === "user")),
  };
}

/** The plain text of a message, whether its content is a string or a list of parts. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("");
}

/** Which turn of the current prompt a request asks for, counted from 1. */
export function turnOf(request: ModelRequest): number {
  const lastUser = request.messages.findLastIndex((message) => message.role === "user");
  return request.messages.slice(lastUser + 1).filter((message) => message.role === "assistant").length + 1;
}
