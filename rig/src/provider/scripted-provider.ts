import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Deferred, deferred } from "../deferred.ts";
import { listenOnLoopback } from "../listen-on-loopback.ts";
import { patience, within } from "../within.ts";
import { chatProtocol } from "./chat-protocol.ts";
import { geminiProtocol } from "./gemini-protocol.ts";
import { messagesProtocol } from "./messages-protocol.ts";
import { perform } from "./perform.ts";
import type { ProviderReply } from "./provider-replies.ts";
import type { ProviderRequest, ReceivedRequest } from "./provider-request.ts";
import { responsesProtocol } from "./responses-protocol.ts";

const protocols = [messagesProtocol, responsesProtocol, chatProtocol, geminiProtocol];

/** Decides what the provider does with each request for an answer. */
export type ProviderScript = (request: ProviderRequest) => ProviderReply | Promise<ProviderReply>;

/** What a provider does besides its script. */
export interface ProviderOptions {
  /** The headers that the answer to a request has besides those of its protocol, such as those of a subscription. */
  headers?: (request: ProviderRequest) => Readonly<Record<string, string>>;
}

/** A running provider that follows a script. */
export interface ScriptedProvider extends AsyncDisposable {
  /** Where it listens, such as `http://127.0.0.1:4000`, without `/v1`. */
  readonly address: string;
  /** Every request for an answer so far, in order, retries included. */
  readonly requests: readonly ProviderRequest[];
  /** Every other request, such as a list of models. Each got 404. */
  readonly others: readonly ReceivedRequest[];
  /** Resolves with the n-th request for an answer as soon as it has arrived. */
  waitForRequest(n: number, timeoutMs?: number): Promise<ProviderRequest>;
  /** Stops the server and closes connections that still wait for an answer. */
  close(): Promise<void>;
}

/**
 * Starts a provider on loopback that answers Messages, Responses, Chat Completions and Gemini by script.
 *
 * @example
 * await using provider = await startScriptedProvider(workFor(3));
 */
export async function startScriptedProvider(
  script: ProviderScript,
  { headers = () => ({}) }: ProviderOptions = {},
): Promise<ScriptedProvider> {
  const requests: ProviderRequest[] = [];
  const others: ReceivedRequest[] = [];
  const arrivals = new Map<number, Deferred<ProviderRequest>>();
  const newId = uniqueIds();

  const arrival = (n: number) => {
    const awaited = arrivals.get(n) ?? deferred<ProviderRequest>();
    arrivals.set(n, awaited);
    return awaited;
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error) => {
      // Not a 5xx: an agent would retry, and a broken script should be seen at once.
      if (response.headersSent) return response.destroy();
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `The script failed: ${error}` } }));
    });
  });
  // A refusal that every agent takes for "no WebSockets here".
  server.on("upgrade", (incoming, socket) => {
    others.push({ ...addressOf(incoming), bytes: Buffer.alloc(0) });
    socket.end("HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = { ...addressOf(incoming), bytes: await buffer(incoming) };
    const path = received.path.split("?", 1)[0] ?? "";
    const protocol = received.method === "POST" ? protocols.find((each) => each.answers(path)) : undefined;
    if (!protocol) {
      others.push(received);
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `The scripted provider has no ${received.path}` } }));
      return;
    }
    const body = JSON.parse(received.bytes.toString("utf8"));
    const request: ProviderRequest = {
      ...received,
      ...protocol.read(body, path),
      index: requests.length + 1,
      protocol: protocol.name,
      body,
      ended: "not yet",
    };
    requests.push(request);
    const end = (how: ProviderRequest["ended"]) => {
      if (request.ended === "not yet") request.ended = how;
    };
    response.on("finish", () => end("answered"));
    response.on("close", () => end("aborted"));
    arrival(request.index).resolve(request);
    for (const [name, value] of Object.entries(headers(request))) response.setHeader(name, value);
    await perform(await script(request), { request, response, protocol, newId });
  }

  const { port, close } = await listenOnLoopback(server);

  return {
    address: `http://127.0.0.1:${port}`,
    requests,
    others,
    waitForRequest: (n, timeoutMs = patience) =>
      within(arrival(n).promise, timeoutMs, () => `Request ${n} never came; ${requests.length} did`),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function addressOf(incoming: IncomingMessage): Omit<ReceivedRequest, "bytes"> {
  return { method: incoming.method ?? "", path: incoming.url ?? "", headers: incoming.headers };
}

// The random part keeps ids apart when a session is resumed against another provider.
function uniqueIds(): () => string {
  const prefix = randomUUID().slice(0, 8);
  let count = 0;
  return () => `${prefix}${++count}`;
}
