import type { Answer } from "../replies.ts";
import {
  dataFrame,
  isObject,
  objectsIn,
  type Protocol,
  textFrame,
  textIn,
  textOfContent,
} from "./protocol.ts";
import type { JsonObject, Message } from "./provider-request.ts";

const address = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/;
const statuses: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

/** Google's Gemini. */
export const geminiProtocol: Protocol = {
  name: "gemini",
  answers: (path) => address.test(path),
  read(body, path) {
    const [, model = "", method] = address.exec(path) ?? [];
    const functions = objectsIn(body.tools).flatMap((tool) => objectsIn(tool.functionDeclarations));
    return {
      model,
      streams: method === "streamGenerateContent",
      messages: [
        { role: "system", text: systemText(body.systemInstruction), toolCalls: [] },
        ...objectsIn(body.contents).flatMap(messagesIn),
      ],
      toolNames: functions.map((each) => textIn(each.name)),
      toolsForbidden: callingMode(body.toolConfig) === "NONE",
    };
  },
  frames(answer, model, newId) {
    const texts = answer.text === "" ? [] : [textFrame(dataFrame(chunk([{ text: answer.text }], model)))];
    const calls = functionCalls(answer, newId);
    return [...texts, dataFrame({ ...chunk(calls.length > 0 ? calls : [{ text: "" }], model, answer) })];
  },
  whole: (answer, model, newId) => {
    const texts = answer.text === "" ? [] : [{ text: answer.text }];
    return chunk([...texts, ...functionCalls(answer, newId)], model, answer);
  },
  error: (status, message) => ({
    error: { code: status, message, status: statuses[status] ?? "FAILED_PRECONDITION" },
  }),
};

// One content may hold the results of tools and, beside them, text.
function messagesIn(content: JsonObject): Message[] {
  const parts = objectsIn(content.parts);
  const results = parts.filter((part) => isObject(part.functionResponse));
  const toolCalls = parts.flatMap((part) =>
    isObject(part.functionCall) ? [textIn(part.functionCall.name)] : [],
  );
  const texts = parts.filter((part) => typeof part.text === "string");
  const role = content.role === "model" ? "assistant" : "user";
  return [
    ...results.map(
      (part): Message => ({ role: "tool", text: JSON.stringify(part.functionResponse), toolCalls: [] }),
    ),
    ...(texts.length + toolCalls.length > 0
      ? [{ role, text: textOfContent(texts), toolCalls } satisfies Message]
      : []),
  ];
}

function systemText(instruction: unknown): string {
  return isObject(instruction) ? textOfContent(instruction.parts) : textIn(instruction);
}

function callingMode(toolConfig: unknown): unknown {
  if (!isObject(toolConfig) || !isObject(toolConfig.functionCallingConfig)) return undefined;
  return toolConfig.functionCallingConfig.mode;
}

function functionCalls(answer: Answer, newId: () => string): object[] {
  return answer.toolCalls.map(({ name, arguments: args }) => ({ functionCall: { id: newId(), name, args } }));
}

/** A bit of the answer, or its end if the answer is given. */
function chunk(parts: object[], modelVersion: string, ended?: Answer): object {
  const content = { role: "model", parts };
  if (!ended) return { candidates: [{ index: 0, content }], modelVersion };
  const { promptTokens, completionTokens, cacheReadTokens = 0 } = ended.usage;
  return {
    candidates: [
      { index: 0, content, finishReason: ended.finishReason === "length" ? "MAX_TOKENS" : "STOP" },
    ],
    usageMetadata: {
      promptTokenCount: promptTokens,
      candidatesTokenCount: completionTokens,
      totalTokenCount: promptTokens + completionTokens,
      cachedContentTokenCount: cacheReadTokens,
    },
    modelVersion,
  };
}
