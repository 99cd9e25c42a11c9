import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { callsOf, type ModelReply, type SeenRequest } from "../../../src/testing/scripted-host.ts";

/** The model that the program is told to use. Its side requests, for titles for example, are made to a smaller one. */
export const MODEL = "claude-sonnet-4-5";

/** How the program calls the tool `work` of the SDK's MCP server `test`. */
export const WORK = "mcp__test__work";

/** And the tool `submit`. */
export const SUBMIT = "mcp__test__submit";

const CONTRACT_NAMES = new Map([
  [WORK, "work"],
  [SUBMIT, "submit"],
]);

interface Block {
  type: string;
  text?: string;
  content?: string | Block[];
}

/** A request to the Messages API, as far as it matters here. */
export interface ApiRequest {
  model: string;
  stream?: boolean;
  tools?: { name: string }[];
  messages: { role: string; content: string | Block[] }[];
}

type Content = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: object };

/**
 * What the scripted model answers: content, content that is cut short because it is too long, nothing at all, a failure that
 * the program may retry, or a stream that breaks off before its first block is whole.
 */
type Answered = Content[] | { tooLong: Content[] } | "stalls" | "fails" | "breaks";

/** What the scripted model answers to its n-th request. */
export type Answer = (request: ApiRequest, index: number) => Answered;

/** A server on loopback that speaks as much of the Anthropic Messages API as the program needs. */
export interface ScriptedApi extends AsyncDisposable {
  url: string;
}

/** What an answer took. */
export type Usage = typeof USAGE;

const USAGE = { input_tokens: 100, output_tokens: 20 };

/** Only the requests of agent loops reach the script: those to {@link MODEL}. */
export async function scriptedApi(answer: Answer, usage = USAGE): Promise<ScriptedApi> {
  let requests = 0;
  const server = createServer(async (incoming, response) => {
    const body = await new Response(incoming as unknown as ReadableStream).text();
    if (!incoming.url?.startsWith("/v1/messages?") && incoming.url !== "/v1/messages") {
      return void response.writeHead(404, { "content-type": "application/json" }).end("{}");
    }
    const request = JSON.parse(body) as ApiRequest;
    if (request.model !== MODEL) return send(response, request, [{ type: "text", text: "" }], usage);
    requests += 1;
    const content = answer(request, requests);
    if (content === "stalls") return;
    if (content !== "fails") return send(response, request, content, usage);
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    response.writeHead(529, { "content-type": "application/json" }).end(JSON.stringify(error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(
  response: ServerResponse,
  { model, stream }: ApiRequest,
  answer: Exclude<Answered, "stalls" | "fails">,
  usage: Usage,
): void {
  const breaks = answer === "breaks";
  const isTooLong = typeof answer === "object" && "tooLong" in answer;
  const content = breaks ? [{ type: "text" as const, text: "" }] : isTooLong ? answer.tooLong : answer;
  const calls = content.some(({ type }) => type === "tool_use");
  const message = { id: `msg_${crypto.randomUUID()}`, type: "message", role: "assistant", model };
  const end = {
    stop_reason: isTooLong ? "max_tokens" : calls ? "tool_use" : "end_turn",
    stop_sequence: null,
  };
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    return void response.end(JSON.stringify({ ...message, content, ...end, usage }));
  }
  const event = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  event("message_start", {
    message: {
      ...message,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: Math.min(usage.output_tokens, 1) },
    },
  });
  for (const [index, block] of content.entries()) {
    const isText = block.type === "text";
    event("content_block_start", {
      index,
      content_block: isText ? { ...block, text: "" } : { ...block, input: {} },
    });
    if (breaks) return void setTimeout(() => response.destroy(), 20);
    const delta = isText
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
    event("content_block_delta", { index, delta });
    event("content_block_stop", { index });
  }
  event("message_delta", { delta: end, usage: { output_tokens: usage.output_tokens } });
  event("message_stop", {});
  response.end();
}

/** The request as the contract's models see it. The program tells the model where its home is, which is never the same. */
export function seenRequest({ tools = [], messages }: ApiRequest, index: number, home: string): SeenRequest {
  return {
    index,
    tools: tools.map(({ name }) => CONTRACT_NAMES.get(name) ?? name),
    texts: messages.flatMap(({ content }) => textsOf(content)).map((text) => text.replaceAll(home, "~")),
  };
}

/** The reply of a contract's model as an answer of the API. */
export function contentOf(reply: ModelReply, request: number): Answered {
  if ("fails" in reply) return "fails";
  if ("stalls" in reply) return "stalls";
  if ("text" in reply) return [{ type: "text", text: reply.text }];
  return callsOf(reply, request).map(({ id, tool, args }) => {
    return { type: "tool_use", id: `toolu_${id}`, name: tool === "work" ? WORK : SUBMIT, input: args };
  });
}

/** The object as the model gives it where the program wants one. */
export function structured(object: object, request: number): Content[] {
  return [{ type: "tool_use", id: `toolu_answer${request}`, name: "StructuredOutput", input: object }];
}

function textsOf(content: string | Block[]): string[] {
  if (typeof content === "string") return [content];
  return content.flatMap(({ text, content }) => [
    ...(text ? [text] : []),
    ...(content ? textsOf(content) : []),
  ]);
}
