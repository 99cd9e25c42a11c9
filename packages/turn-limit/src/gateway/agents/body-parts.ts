import { createHash } from "node:crypto";
import { isPlainObject } from "../../core/checks.ts";
import { objectIn, objectsIn, textIn } from "../protocols/parts-of-json.ts";
import type { Json } from "../protocols/protocol.ts";

/** The first text of the system prompt, wherever each protocol puts it. */
export function systemText(body: Json): string | undefined {
  const gemini = objectIn(body.systemInstruction).parts;
  const messages = body.messages ?? body.input;
  const first = objectIn(Array.isArray(messages) ? messages[0] : undefined);
  return (
    firstText(body.system) ??
    textIn(body.instructions) ??
    firstText(gemini) ??
    (first.role === "system" || first.role === "developer" ? firstText(first.content) : undefined)
  );
}

/** The names of the functions that the model is offered, wherever each protocol puts them. */
export function functionNames({ tools }: Json): string[] {
  return objectsIn(tools)
    .flatMap(({ function: chat, ...tool }) => {
      const gemini = tool.functionDeclarations ?? tool.function_declarations;
      return gemini === undefined ? [isPlainObject(chat) ? chat : tool] : objectsIn(gemini);
    })
    .flatMap(({ name }) => textIn(name) ?? []);
}

/** The messages after the system prompt, wherever each protocol puts them. */
export function messagesOf({ messages, input, contents }: Json): readonly Json[] {
  return objectsIn(messages ?? input ?? contents).filter(
    ({ role }) => role !== "system" && role !== "developer",
  );
}

/** The text of a message that begins with one. */
export function textOf({ content, parts }: Json): string | undefined {
  return firstText(content ?? parts);
}

/** A name for a conversation that no request names: what it begins with, as a digest. */
export function openingOf(body: Json): string {
  const [first] = messagesOf(body);
  return createHash("sha256")
    .update(JSON.stringify(first ?? null))
    .digest("base64");
}

function firstText(content: unknown): string | undefined {
  return textIn(Array.isArray(content) ? objectIn(content[0]).text : content);
}
