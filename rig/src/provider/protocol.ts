import type { Answer } from "../replies.ts";
import type { Conversation, JsonObject, ProtocolName } from "./provider-request.ts";

/** One event of a streamed answer, ready to be written. */
export interface Frame {
  bytes: string;
  /** Set for a bit of text, which may be sent again and again. */
  isText?: true;
}

/** How one protocol asks and answers. */
export interface Protocol {
  name: ProtocolName;
  /** Whether a request for this path, without its query, asks for an answer in this protocol. */
  answers(path: string): boolean;
  read(body: JsonObject, path: string): Conversation;
  /** The answer as a stream. `newId` names it and each of its tool calls. */
  frames(answer: Answer, model: string, newId: () => string): Frame[];
  /** The answer in one piece. */
  whole(answer: Answer, model: string, newId: () => string): object;
  error(status: number, message: string): object;
}

/** An event without a name. */
export function dataFrame(data: object): Frame {
  return { bytes: `data: ${JSON.stringify(data)}\n\n` };
}

/** An event whose name is also its `type`. */
export function eventFrame(type: string, fields: object = {}): Frame {
  return { bytes: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n` };
}

/** Marks an event as a bit of text. */
export function textFrame(frame: Frame): Frame {
  return { ...frame, isText: true };
}

/** Whether a value is an object with named fields. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects in a list, and nothing for what is no list. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A field as text, and no text for anything else. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The text of a content, whether it is a string or a list of parts. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map((part) => textIn(part.text) || (part.content === undefined ? "" : textOfContent(part.content)))
    .join("\n");
}
