import type { Usage } from "../../core/meter/usage.ts";
import type { JsonEdit } from "./json-edits.ts";
import { madeEvents, madeId, madeJson, openAiError } from "./made-answer.ts";
import {
  argumentsIn,
  bytesOfTexts,
  inputAndCache,
  isFilledList,
  objectIn,
  objectsIn,
  offeredTool,
  textIn,
  tokens,
  withoutItems,
  withResults,
} from "./parts-of-json.ts";
import type { Asked, Json, MadeAnswer, Protocol } from "./protocol.ts";

/** OpenAI's Chat Completions, which many other providers support as well. */
export const chatCompletions: Protocol = {
  name: "chat-completions",
  provider: "openai",
  matches: (path) => /\/chat\/completions$/i.test(path),
  asked: (_path, _query, body) =>
    Array.isArray(body.messages) ? { model: textIn(body.model), streams: body.stream === true } : undefined,
  usageKey: "usage",
  reported({ model, usage, choices }) {
    const all = objectsIn(choices);
    const textBytes = all.reduce((sum, { delta }) => sum + bytesOf(objectIn(delta)), 0);
    // Some providers put the usage into the choice.
    const used = usage ?? all[0]?.usage ?? undefined;
    if (used === undefined) return { model, textBytes };
    // Some providers report the usage so far with every chunk.
    const isOver = textBytes === 0 || all.some(({ finish_reason }) => finish_reason != null);
    return { model, usage: counts(objectIn(used)), isTotal: isOver, textBytes };
  },
  calls({ messages }) {
    const all = objectsIn(messages);
    const made = all
      .flatMap(({ tool_calls }) => objectsIn(tool_calls))
      .map(({ id, ...call }) => {
        const { name, arguments: args } = objectIn(call.function);
        return { id: String(id), tool: String(name), args: argumentsIn(args) };
      });
    const results = all
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id, content }) => [String(tool_call_id), content] as const);
    return withResults(made, new Map(results));
  },
  withoutCalls: ({ messages }, isCall) => [
    ...withoutItems(messages, ({ role, tool_call_id }) => role === "tool" && isCall(tool_call_id), [
      "messages",
    ]),
    ...withoutToolCalls(messages, isCall),
  ],
  tools: ({ tools }) => objectsIn(tools).map((tool) => offeredTool(objectIn(tool.function))),
  withMessage: (body, text) => ({
    ...body,
    messages: [...(Array.isArray(body.messages) ? body.messages : []), { role: "user", content: text }],
  }),
  // Providers reject a choice without tools.
  withoutTools: (body) => ({
    ...body,
    ...(isFilledList(body.tools) && { tool_choice: "none" }),
    ...(isFilledList(body.functions) && { function_call: "none" }),
  }),
  canHoldTo: ({ tools }, tool) => objectsIn(tools).some((one) => objectIn(one.function).name === tool),
  holdTo: (body, tool) => ({ ...body, tool_choice: { type: "function", function: { name: tool } } }),
  answer: (text, asked) =>
    madeCompletion(asked, { content: text }, { content: "" }, { content: text }, "stop"),
  callAnswer({ id, tool, args }, asked) {
    const call = { id, type: "function", function: { name: tool, arguments: JSON.stringify(args) } };
    const begun = { content: null };
    const rest = { tool_calls: [{ index: 0, ...call }] };
    return madeCompletion(asked, { ...begun, tool_calls: [call] }, begun, rest, "tool_calls");
  },
  error: openAiError,
};

/** An answer with one message. In a stream it begins as `begun`, and `rest` follows. */
function madeCompletion(
  { model, streams }: Asked,
  message: Json,
  begun: Json,
  rest: Json,
  finish_reason: string,
): MadeAnswer {
  const head = {
    id: madeId("chatcmpl-"),
    object: streams ? "chat.completion.chunk" : "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model: model ?? "none",
  };
  const own = (more: Json) => ({ role: "assistant", ...more, refusal: null });
  if (!streams)
    return madeJson({
      ...head,
      choices: [{ index: 0, message: own(message), logprobs: null, finish_reason }],
      usage: NOTHING_USED,
    });
  const chunk = (delta: Json, finish_reason: string | null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const events = [
    chunk(own(begun), null),
    chunk(rest, null),
    chunk({}, finish_reason),
    { ...head, choices: [], usage: NOTHING_USED },
  ];
  return madeEvents(events, "[DONE]");
}

// An empty list of calls is refused. A message that has nothing else goes, too.
function withoutToolCalls(messages: unknown, isCall: (id: unknown) => boolean): JsonEdit[] {
  const all: readonly unknown[] = Array.isArray(messages) ? messages : [];
  return all.flatMap((message, at) => {
    const { tool_calls, content } = objectIn(message);
    const path = ["messages", at, "tool_calls"];
    const edits = withoutItems(tool_calls, ({ id }) => isCall(id), path);
    if (edits.length === 0 || edits.length < (tool_calls as unknown[]).length) return edits;
    const hasMore = isFilledList(content) || textIn(content) !== undefined;
    return [{ path: hasMore ? path : path.slice(0, -1) }];
  });
}

const NOTHING_USED = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

function counts(usage: Json): Partial<Usage> {
  const { cached_tokens } = objectIn(usage.prompt_tokens_details);
  return { ...inputAndCache(usage.prompt_tokens, cached_tokens), output: tokens(usage.completion_tokens) };
}

/** Some providers also send the reasoning, under one of two names. */
function bytesOf({ content, refusal, reasoning, reasoning_content, tool_calls }: Json): number {
  const texts = bytesOfTexts(content, refusal, reasoning ?? reasoning_content);
  return objectsIn(tool_calls).reduce(
    (sum, call) => sum + bytesOfTexts(objectIn(call.function).arguments),
    texts,
  );
}
