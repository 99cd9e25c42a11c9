import { randomUUID } from "node:crypto";
import type { Json, MadeAnswer, Protocol } from "./protocol.ts";

/** An id of its own for an answer: `msg_0f3a…`. */
export function madeId(prefix: string): string {
  return prefix + randomUUID().replaceAll("-", "");
}

/** An answer that is not a stream. */
export function madeJson(answer: Json | readonly Json[]): MadeAnswer {
  return { contentType: "application/json", body: JSON.stringify(answer) };
}

/** An answer that is a stream. The events that have a type are also named by it. `last` is put after them as it is. */
export function madeEvents(events: readonly Json[], last?: string): MadeAnswer {
  const texts = events.map((event) => {
    const name = typeof event.type === "string" ? `event: ${event.type}\n` : "";
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  if (last !== undefined) texts.push(`data: ${last}\n\n`);
  return { contentType: "text/event-stream", body: texts.join("") };
}

/** The body of an error. A plain one, if the protocol is not known. */
export function errorBody(protocol: Protocol | undefined, status: number, message: string): string {
  return protocol?.error(status, message) ?? JSON.stringify({ error: { message, type: "turn_limit" } });
}

/** An error in the form of OpenAI's interfaces. */
export function openAiError(status: number, message: string): string {
  return JSON.stringify({ error: { message, type: errorType(status), param: null, code: null } });
}

function errorType(status: number): string {
  if (status === 402) return "billing_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
