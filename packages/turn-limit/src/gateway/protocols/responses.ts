import type { Usage } from "../../core/meter/usage.ts";
import { madeEvents, madeId, madeJson, openAiError } from "./made-answer.ts";
import { bytesOfTexts, inputAndCache, objectIn, textIn, tokens } from "./parts-of-json.ts";
import type { Json, Protocol } from "./protocol.ts";

/** OpenAI's Responses. */
export const responses: Protocol = {
  name: "responses",
  provider: "openai",
  matches: (path) => path.endsWith("/responses"),
  asked: (_path, _query, { input, prompt, model, stream }) =>
    typeof input === "string" || Array.isArray(input) || prompt !== undefined
      ? { model: textIn(model), streams: stream === true }
      : undefined,
  usageKey: "usage",
  reported(part) {
    // Without a stream the answer itself is the response.
    const response = objectIn(part.object === "response" ? part : part.response);
    const { model, usage, status } = response;
    return {
      model,
      // In the background: the answer is looked for until it is there.
      ...((status === "queued" || status === "in_progress") && { goesOnAs: textIn(response.id) }),
      ...(usage != null && { usage: counts(objectIn(usage)), isTotal: true }),
      textBytes: bytesOfTexts(part.delta),
    };
  },
  withMessage: (body, text) => ({ ...body, input: [...itemsOf(body.input), userMessage(text)] }),
  // The tools need not be in `tools`: they can be items of the input, or stored with the provider.
  withoutTools: (body) => ({ ...body, tool_choice: "none" }),
  answer(text, { model, streams }) {
    const part = { type: "output_text", text, annotations: [], logprobs: [] };
    const item = {
      id: madeId("msg_"),
      type: "message",
      status: "completed",
      role: "assistant",
      content: [part],
    };
    const response = madeResponse(model, item);
    return streams ? madeEvents(eventsOf(response, item, part)) : madeJson(response);
  },
  error: openAiError,
};

function counts(usage: Json): Partial<Usage> {
  const { cached_tokens } = objectIn(usage.input_tokens_details);
  return { ...inputAndCache(usage.input_tokens, cached_tokens), output: tokens(usage.output_tokens) };
}

function itemsOf(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  return typeof input === "string" && input !== "" ? [userMessage(input)] : [];
}

function userMessage(text: string): Json {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

function madeResponse(model: string | undefined, item: Json): Json {
  const now = Math.floor(Date.now() / 1000);
  return {
    id: madeId("resp_"),
    object: "response",
    created_at: now,
    completed_at: now,
    status: "completed",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: model ?? "none",
    output: [item],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "none",
    tools: [],
    top_p: null,
    truncation: "disabled",
    usage: {
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    },
    user: null,
  };
}

function eventsOf(response: Json, item: Json, part: Json & { text: string }): Json[] {
  const begun = { ...response, status: "in_progress", completed_at: null, output: [], usage: null };
  const place = { item_id: item.id, output_index: 0, content_index: 0 };
  const { text } = part;
  const events: Json[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...place, delta: text, logprobs: [] },
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}
