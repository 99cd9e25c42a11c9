import { posix } from "node:path";
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

/** The protocol in which a request with this path has a transcript, although it asks for no answer: it is to be shortened. */
export function protocolOfTranscript(path: string): Protocol | undefined {
  return /\/responses\/compact$/i.test(path) ? responses : undefined;
}

/**
 * A path as servers may understand it: with every character as it is, without what some of them cut off, without dots that
 * stand for folders, and without the slashes at its end.
 */
export function understood(path: string): string {
  if (IS_PLAIN.test(path)) return path;
  const cut = (text: string) => withoutDots(text.replace(/[#?;\\].*$/s, "")).replace(/\/+$/, "");
  try {
    return cut(decodeURIComponent(path));
  } catch {
    return cut(path);
  }
}

/** A path that everybody understands in the same way. */
const IS_PLAIN = /^(\/[\w:-][\w:.-]*)*$/;

function withoutDots(path: string): string {
  return /\/\.{1,2}(\/|$)/.test(path) ? posix.normalize(path) : path;
}
