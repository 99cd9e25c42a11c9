import { randomUUID } from "node:crypto";
import type { Usage } from "../../core/meter/usage.ts";
import { madeEvents, madeJson } from "./made-answer.ts";
import {
  bytesOfTexts,
  inputAndCache,
  isFilledList,
  objectIn,
  objectsIn,
  tokensOrNone,
} from "./parts-of-json.ts";
import type { Json, Protocol } from "./protocol.ts";

const PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** Google's Gemini. */
export const gemini: Protocol = {
  name: "gemini",
  provider: "google",
  matches: (path) => PATH.test(path),
  asked(path, query, body) {
    const [, model, method] = PATH.exec(path) ?? [];
    if (model === undefined || !Array.isArray(body.contents)) return undefined;
    const streams = method === "streamGenerateContent";
    const isList = streams && new URLSearchParams(query).get("alt") !== "sse";
    return { model, streams, ...(isList && { isList }) };
  },
  usageKey: "usageMetadata",
  reported({ modelVersion, usageMetadata, candidates }) {
    const all = objectsIn(candidates);
    const textBytes = all.reduce((sum, { content }) => sum + bytesOf(objectIn(content)), 0);
    if (usageMetadata == null) return { model: modelVersion, textBytes };
    // Every chunk reports the usage so far. A blocked prompt has no candidates.
    const isTotal = all.length === 0 || all.some(({ finishReason }) => finishReason != null);
    return { model: modelVersion, usage: counts(objectIn(usageMetadata)), isTotal, textBytes };
  },
  withMessage,
  withoutTools,
  answer(text, { model, streams, isList }) {
    const answer = {
      candidates: [{ content: { parts: [{ text }], role: "model" }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
      modelVersion: model ?? "none",
      responseId: randomUUID(),
    };
    if (!streams) return madeJson(answer);
    return isList ? madeJson([answer]) : madeEvents([answer]);
  },
  error: (status, message) =>
    JSON.stringify({ error: { code: status, message, status: errorStatus(status) } }),
};

/** Thoughts are output. */
function counts(usage: Json): Partial<Usage> {
  const { input, cacheRead } = inputAndCache(usage.promptTokenCount, usage.cachedContentTokenCount);
  return {
    input: input + tokensOrNone(usage.toolUsePromptTokenCount),
    output: tokensOrNone(usage.candidatesTokenCount) + tokensOrNone(usage.thoughtsTokenCount),
    cacheRead,
  };
}

function bytesOf({ parts }: Json): number {
  return objectsIn(parts).reduce(
    (sum, { text, functionCall }) => sum + bytesOfTexts(text, functionCall && JSON.stringify(functionCall)),
    0,
  );
}

/** Newer models reject a message with anything beside the result of a function. */
function withMessage(body: Json, text: string): Json {
  const contents: readonly unknown[] = Array.isArray(body.contents) ? body.contents : [];
  const last = objectIn(contents.at(-1));
  const isText = isFilledList(last.parts) && last.parts.every((part) => "text" in objectIn(part));
  if ((last.role ?? "user") !== "user" || !isText)
    return { ...body, contents: [...contents, { role: "user", parts: [{ text }] }] };
  return {
    ...body,
    contents: contents.with(-1, { ...last, parts: [...(last.parts as unknown[]), { text }] }),
  };
}

/** The choice is refused where there are no functions. Both ways to write a name are allowed, not at the same time. */
function withoutTools(body: Json): Json {
  const hasFunctions = objectsIn(body.tools).some(
    (tool) => isFilledList(tool.functionDeclarations) || isFilledList(tool.function_declarations),
  );
  if (!hasFunctions) return body;
  const config = "tool_config" in body ? "tool_config" : "toolConfig";
  const settings = objectIn(body[config]);
  const calling = "function_calling_config" in settings ? "function_calling_config" : "functionCallingConfig";
  return { ...body, [config]: { ...settings, [calling]: { mode: "NONE" } } };
}

function errorStatus(status: number): string {
  if (status === 402) return "FAILED_PRECONDITION";
  return status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT";
}
