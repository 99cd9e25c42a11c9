import { chatCompletions } from "./chat-completions.ts";
import { gemini } from "./gemini.ts";
import { messages } from "./messages.ts";
import type { Protocol } from "./protocol.ts";
import { responses } from "./responses.ts";

/** The protocols that are understood. */
export const PROTOCOLS: readonly Protocol[] = [messages, responses, chatCompletions, gemini];

/** The protocol of a request with this path, without the query, if it asks for an answer. */
export function protocolOf(path: string): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.matches(path));
}

/** A path as most servers understand it: without the slashes at its end, and with every character as it is. */
export function understood(path: string): string {
  const bare = path.replace(/\/+$/, "");
  try {
    return decodeURIComponent(bare).replace(/\/+$/, "");
  } catch {
    return bare;
  }
}
