import type { Usage } from "../../core/meter/usage.ts";

/** A JSON object, as it was received. */
export type Json = Readonly<Record<string, unknown>>;

/** A request for an answer, as its protocol reads it. */
export interface Asked {
  /** The model that is asked, if the request names one. */
  readonly model: string | undefined;
  /** Is the answer wanted as a stream of events? */
  readonly streams: boolean;
  /** Is the stream wanted as one JSON list? Only Gemini has that. */
  readonly isList?: boolean;
}

/** What an answer says of itself, as far as it got. */
export interface AnswerReport {
  /** What it took. `undefined`: it was cut off, or does not say. */
  readonly usage: Usage | undefined;
  /** The model that answered, if the answer names it. */
  readonly model: string | undefined;
  /** The usage of the parts that did arrive, where the answer did not come to say the whole: an estimate. */
  readonly estimate: Usage | undefined;
}

/** Reads an answer as it passes, without holding it back. What it keeps is bounded. Never throws. */
export interface AnswerReader {
  /** The next bytes, decoded if the answer was compressed. */
  push(chunk: Uint8Array): void;
  /** The answer is over, or was cut off. `askedBytes`: how long the request was, for an estimate of what it took. */
  end(askedBytes: number): AnswerReport;
}

/** An answer that is made here. */
export interface MadeAnswer {
  readonly contentType: string;
  readonly body: string;
}

/** A way in which agents and providers of models talk to each other. Pure: it changes no request that it is given. */
export interface Protocol {
  readonly name: "messages" | "responses" | "chat-completions" | "gemini";
  /** The provider whose prices hold, where the address does not say it. */
  readonly provider: string;
  /** Does a request with this path, without the query, ask for an answer? The path may have anything before it. */
  matches(path: string): boolean;
  /** What the request says. `undefined`: the body is not one of this protocol. */
  asked(path: string, query: string, body: Json): Asked | undefined;
  /** Reads the answer with this status and type. */
  reader(status: number, contentType: string | undefined): AnswerReader;
  /** The request with a text for the model at its end, where the protocol allows it. */
  withMessage(body: Json, text: string): Json;
  /** The request in which the model may call no tool. The tools stay. */
  withoutTools(body: Json): Json;
  /** An answer that is this text, and ends the turn. */
  answer(text: string, asked: Asked): MadeAnswer;
  /** The body of an error, in the form that the protocol's clients show to people. */
  error(status: number, message: string): string;
}
