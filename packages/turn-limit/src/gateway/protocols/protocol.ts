import type { Usage } from "../../core/meter/usage.ts";
import type { WindowUse } from "../../run/shared-budgets.ts";
import type { JsonEdit } from "./json-edits.ts";

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

/** What an answer reports, as far as it was received. */
export interface AnswerReport {
  /** `undefined`: it was cut off, or does not report its usage. */
  readonly usage: Usage | undefined;
  /** The model that answered, if the answer names it. */
  readonly model: string | undefined;
  /** An estimate by the parts that were received, where the usage is missing. */
  readonly estimate: Usage | undefined;
  /** The id of an answer that the provider goes on with by itself: whoever asks for it again is told its usage. */
  readonly goesOnAs?: string | undefined;
  /** Did a whole answer arrive, which is no error? */
  readonly isWhole?: boolean;
  /** Why there was no answer, if that is because of the provider. */
  readonly problem?: string;
  /** What it told of the windows of a subscription. Left out: there was no answer. */
  readonly windows?: readonly WindowUse[] | undefined;
  /** What the header says by which a gateway tells another one that a limit was reached. */
  readonly stoppedBy?: string | undefined;
}

/** What an event of a stream, or an answer that is not a stream, reports. */
export interface ReportedPart {
  readonly model?: unknown;
  /** These counts replace earlier ones. `NaN`: reported, but not a number of tokens. */
  readonly usage?: Partial<Usage>;
  /** Is that the usage of the whole answer? */
  readonly isTotal?: boolean;
  /** How many bytes of text, or of the arguments of calls, came with it. */
  readonly textBytes?: number;
  /** The id of an answer that the provider goes on with by itself, and that is asked for again. */
  readonly goesOnAs?: string | undefined;
}

/** An answer that the gateway makes itself. */
export interface MadeAnswer {
  readonly contentType: string;
  readonly body: string;
}

/** How answers report their usage. */
export interface ReportsUsage {
  /** The key of the object with the usage in an answer. */
  readonly usageKey: string;
  /** Reads a part of an answer. */
  reported(part: Json): ReportedPart;
}

/** A tool call in the conversation that a request carries, with its result. */
export interface SeenCall {
  /** Tells it apart from the others of the conversation, in this request and in later ones. */
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
  readonly result: unknown;
}

/** A function that the model is offered. */
export interface OfferedTool {
  /** Of one in a namespace: `namespace.name`. */
  readonly name: string;
  readonly description: string | undefined;
}

/** A tool call that the gateway makes in the place of the model. */
export interface MadeCall {
  readonly id: string;
  /** Its name as {@link Protocol.tools} has it. */
  readonly tool: string;
  readonly args: Json;
}

/** A protocol between agents and providers of models. Pure: it never modifies the request that it is given. */
export interface Protocol extends ReportsUsage {
  readonly name: "messages" | "responses" | "chat-completions" | "gemini";
  /** The provider whose prices are used where the address does not tell. */
  readonly provider: string;
  /** Does a request with this path, without the query, ask for an answer? The path may have any prefix, in any case. */
  matches(path: string): boolean;
  /** Reads the request. `undefined`: the body is not of this protocol. */
  asked(path: string, query: string, body: Json): Asked | undefined;
  /** The tool calls of the conversation that have results, in order. */
  calls(body: Json): readonly SeenCall[];
  /** What takes these calls and their results out of the request. A message of which nothing would be left goes, too. */
  withoutCalls(body: Json, isCall: (id: unknown) => boolean): readonly JsonEdit[];
  /** The functions that the model is offered. */
  tools(body: Json): readonly OfferedTool[];
  /** The request with a message for the model at its end, where the protocol allows it. */
  withMessage(body: Json, text: string): Json;
  /** The request in which the model may call no tool. The tools stay. */
  withoutTools(body: Json): Json;
  /** Can the model be made to call this tool in the request, and no other? Only one that it offers. */
  canHoldTo(body: Json, tool: string): boolean;
  /** The request in which it is. */
  holdTo(body: Json, tool: string): Json;
  /** An answer with this text, which ends the turn. The text must not be empty: agents would retry. */
  answer(text: string, asked: Asked): MadeAnswer;
  /** An answer that is one tool call, and nothing else. */
  callAnswer(call: MadeCall, asked: Asked): MadeAnswer;
  /** The body of an error, in the form that the protocol's clients show to people. */
  error(status: number, message: string): string;
}
