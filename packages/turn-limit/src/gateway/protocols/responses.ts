import type { Usage } from "../../core/meter/usage.ts";
import { madeEvents, madeId, madeJson, openAiError } from "./made-answer.ts";
import {
  argumentsIn,
  bytesOfTexts,
  inputAndCache,
  objectIn,
  objectsIn,
  offeredTool,
  textIn,
  tokens,
  withoutItems,
  withResults,
} from "./parts-of-json.ts";
import type { Asked, Json, MadeAnswer, OfferedTool, Protocol } from "./protocol.ts";

/** OpenAI's Responses. */
export const responses: Protocol = {
  name: "responses",
  provider: "openai",
  matches: (path) => /\/responses$/i.test(path),
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
  calls({ input }) {
    const items = objectsIn(input);
    const made = items.flatMap(({ type, call_id, name, ...call }) =>
      /_call$/.test(String(type)) && call_id !== undefined
        ? [
            {
              id: String(call_id),
              tool: String(name ?? type),
              args: argumentsIn(call.arguments ?? call.input ?? call.action),
            },
          ]
        : [],
    );
    const results = items
      .filter(({ type }) => /_call_output$/.test(String(type)))
      .map(({ call_id, output }) => [String(call_id), output] as const);
    return withResults(made, new Map(results));
  },
  withoutCalls: ({ input }, isCall) => withoutItems(input, ({ call_id }) => isCall(call_id), ["input"]),
  // Codex has its tools in an item of the input.
  tools: ({ tools, input }) =>
    functionsIn([
      ...objectsIn(tools),
      ...objectsIn(input)
        .filter(({ type }) => type === "additional_tools")
        .flatMap((item) => objectsIn(item.tools)),
    ]),
  withMessage: (body, text) => ({ ...body, input: [...itemsOf(body.input), userMessage(text)] }),
  // The tools need not be in `tools`: they can be items of the input, or stored with the provider.
  withoutTools: (body) => ({ ...body, tool_choice: "none" }),
  canHoldTo: (body, tool) => objectsIn(body.tools).some((one) => isNamed(one, tool)),
  holdTo(body, tool) {
    const { type } = objectIn(objectsIn(body.tools).find((one) => isNamed(one, tool)));
    return { ...body, tool_choice: { type, name: tool } };
  },
  answer(text, asked) {
    const part = { type: "output_text", text, annotations: [], logprobs: [] };
    const content = [part];
    const item = { id: madeId("msg_"), type: "message", status: "completed", role: "assistant", content };
    const place = { item_id: item.id, output_index: 0, content_index: 0 };
    return madeItem(asked, item, { content: [] }, [
      { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
      { type: "response.output_text.delta", ...place, delta: text, logprobs: [] },
      { type: "response.output_text.done", ...place, text, logprobs: [] },
      { type: "response.content_part.done", ...place, part },
    ]);
  },
  callAnswer({ id, tool, args }, asked) {
    const [namespace, name] = tool.includes(".") ? tool.split(".", 2) : [undefined, tool];
    const item = {
      id: madeId("fc_"),
      type: "function_call",
      status: "completed",
      call_id: id,
      name,
      ...(namespace !== undefined && { namespace }),
      arguments: JSON.stringify(args),
    };
    const place = { item_id: item.id, output_index: 0 };
    return madeItem(asked, item, { arguments: "" }, [
      { type: "response.function_call_arguments.delta", ...place, delta: item.arguments },
      { type: "response.function_call_arguments.done", ...place, arguments: item.arguments },
    ]);
  },
  error: openAiError,
};

/** A function, or a tool that takes plain text: those are called by their names. */
function isNamed({ type, name }: Json, tool: string): boolean {
  return name === tool && (type === "function" || type === "custom");
}

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

/** An answer that is one item. In a stream it begins `empty`, and `events` have the rest. */
function madeItem({ model, streams }: Asked, item: Json, empty: Json, events: readonly Json[]): MadeAnswer {
  const response = madeResponse(model, item);
  if (!streams) return madeJson(response);
  const begun = { ...response, status: "in_progress", completed_at: null, output: [], usage: null };
  const all: Json[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...item, status: "in_progress", ...empty },
    },
    ...events,
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
  return madeEvents(all.map((event, sequence_number) => ({ ...event, sequence_number })));
}

function functionsIn(tools: readonly Json[]): OfferedTool[] {
  return tools.flatMap((tool) =>
    Array.isArray(tool.tools)
      ? functionsIn(objectsIn(tool.tools)).map((each) => ({ ...each, name: `${tool.name}.${each.name}` }))
      : [offeredTool(tool)],
  );
}
