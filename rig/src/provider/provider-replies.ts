import type { Answer, Reply } from "../replies.ts";

/** An answer whose stream ends in the middle, because the connection is closed. */
export interface CutOff {
  kind: "cut off";
  answer: Answer;
}

/** No answer at all, because the connection is reset. */
export interface Reset {
  kind: "reset";
}

/** Sends the client elsewhere. */
export interface Redirect {
  kind: "redirect";
  /** The base address of another provider. */
  to: string;
}

/** What the scripted provider does with one request. */
export type ProviderReply = Reply | CutOff | Reset | Redirect;

/** Sends about half of the answer, then closes the connection: `cutOff(says("a long story"))`. */
export function cutOff(answer: Answer): CutOff {
  return { kind: "cut off", answer };
}

/** Takes the request, then resets the connection without an answer. */
export function resets(): Reset {
  return { kind: "reset" };
}

/** Says that the same path has moved to another provider, as most clients follow it: with the body. */
export function redirects(to: string): Redirect {
  return { kind: "redirect", to };
}
