import { randomUUID } from "node:crypto";
import { isPlainObject } from "../../core/checks.ts";
import type { Usage } from "../../core/meter/usage.ts";
import { madeEvents, madeJson } from "./made-answer.ts";
import {
  bytesOfTexts,
  inputAndCache,
  isFilledList,
  objectIn,
  objectsIn,
  offeredTool,
  tokensOrNone,
  withoutParts,
  withResults,
} from "./parts-of-json.ts";
import type { Asked, Json, MadeAnswer, Protocol } from "./protocol.ts";

const PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/i;

/** Google's Gemini. */
export const gemini: Protocol = {
  name: "gemini",
  provider: "google",
  matches: (path) => PATH.test(path),
  asked(path, query, body) {
    const [, model, method = ""] = PATH.exec(path) ?? [];
    if (model === undefined || !Array.isArray(body.contents)) return undefined;
    const streams = method.toLowerCase() === "streamgeneratecontent";
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
  calls({ contents }) {
    const parts = objectsIn(contents).flatMap((content) => objectsIn(content.parts));
    // Most calls have no id: of those of one name the first result is that of the first.
    const numbered = (key: "functionCall" | "functionResponse") => {
      const counts = new Map<string, number>();
      return parts
        .map((part) => part[key])
        .filter(isPlainObject)
        .map(({ id, name, ...part }) => {
          const count = (counts.get(String(name)) ?? 0) + 1;
          counts.set(String(name), count);
          return { ...part, id: id === undefined ? `${name} ${count}` : String(id), tool: String(name) };
        });
    };
    const made = numbered("functionCall").map(({ id, tool, ...call }) => ({
      id,
      tool,
      args: Object(call).args,
    }));
    const results = numbered("functionResponse").map(
      ({ id, ...part }) => [id, Object(part).response] as const,
    );
    return withResults(made, new Map(results));
  },
  withoutCalls: ({ contents }, isCall) =>
    withoutParts(
      contents,
      "parts",
      ({ functionCall, functionResponse }) =>
        isCall(objectIn(functionCall).id) || isCall(objectIn(functionResponse).id),
      ["contents"],
    ),
  tools: ({ tools }) =>
    objectsIn(tools)
      .flatMap((tool) => objectsIn(tool.functionDeclarations ?? tool.function_declarations))
      .map(offeredTool),
  withMessage,
  withoutTools,
  canHoldTo: ({ tools }, tool) =>
    objectsIn(tools)
      .flatMap((one) => objectsIn(one.functionDeclarations ?? one.function_declarations))
      .some(({ name }) => name === tool),
  holdTo(body, tool) {
    const inSnakeCase = "tool_config" in body || "function_calling_config" in objectIn(body.toolConfig);
    const names = inSnakeCase ? "allowed_function_names" : "allowedFunctionNames";
    return withCalling(body, { mode: "ANY", [names]: [tool] });
  },
  answer: (text, asked) => madeAnswer({ text }, asked),
  callAnswer: ({ id, tool, args }, asked) => madeAnswer({ functionCall: { id, name: tool, args } }, asked),
  error: (status, message) =>
    JSON.stringify({ error: { code: status, message, status: errorStatus(status) } }),
};

/** An answer that is one part. */
function madeAnswer(part: Json, { model, streams, isList }: Asked): MadeAnswer {
  const answer = {
    candidates: [{ content: { parts: [part], role: "model" }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    modelVersion: model ?? "none",
    responseId: randomUUID(),
  };
  if (!streams) return madeJson(answer);
  return isList ? madeJson([answer]) : madeEvents([answer]);
}

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
  return hasFunctions ? withCalling(body, { mode: "NONE" }) : body;
}

function withCalling(body: Json, calls: Json): Json {
  const config = "tool_config" in body ? "tool_config" : "toolConfig";
  const settings = objectIn(body[config]);
  const calling = "function_calling_config" in settings ? "function_calling_config" : "functionCallingConfig";
  return { ...body, [config]: { ...settings, [calling]: calls } };
}

function errorStatus(status: number): string {
  if (status === 402) return "FAILED_PRECONDITION";
  return status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT";
}
