import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { openStream, sendError, streamAnswer, streamWithoutEnd } from "./completion-stream.ts";
import { type Deferred, deferred } from "./deferred.ts";
import { listenOnLoopback } from "./listen-on-loopback.ts";
import { type ChatBody, type ModelRequest, readModelRequest } from "./model-request.ts";
import type { Reply } from "./replies.ts";
import { patience, within } from "./within.ts";

/** Decides what the model does with each request. */
export type Script = (request: ModelRequest) => Reply | Promise<Reply>;

/** A running model that follows a script. */
export interface ScriptedModel extends AsyncDisposable {
  /** The OpenAI-compatible base URL, for a provider's `baseUrl`. */
  readonly baseUrl: string;
  /** Every completion request received so far, in order, retries included. */
  readonly requests: readonly ModelRequest[];
  /** Resolves with the n-th request as soon as it has arrived. */
  waitForRequest(n: number, timeoutMs?: number): Promise<ModelRequest>;
  /** Stops the server and closes connections that still wait for an answer. */
  close(): Promise<void>;
}

/**
 * Starts an OpenAI-compatible model on loopback that answers by script.
 *
 * @example
 * await using model = await startScriptedModel(endsAfter(3));
 */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const arrivals = new Map<number, Deferred<ModelRequest>>();
  const newCallId = uniqueIds();

  const arrival = (n: number) => {
    const awaited = arrivals.get(n) ?? deferred<ModelRequest>();
    arrivals.set(n, awaited);
    return awaited;
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error) => {
      // Not a 5xx: Pi would retry, and a broken script should be seen at once.
      if (!response.headersSent) sendError(response, 400, `The script failed: ${error}`);
      else response.destroy();
    });
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method !== "POST" || !incoming.url?.endsWith("/chat/completions")) {
      return sendError(response, 404, `The scripted model has no ${incoming.method} ${incoming.url}`);
    }
    const body = (await json(incoming)) as ChatBody;
    const request = readModelRequest(requests.length + 1, body);
    requests.push(request);
    arrival(request.index).resolve(request);
    await perform(await script(request), response);
  }

  async function perform(reply: Reply, response: ServerResponse): Promise<void> {
    switch (reply.kind) {
      case "answer":
        return streamAnswer(response, reply, newCallId);
      case "failure":
        return sendError(response, reply.status, reply.message);
      case "stall":
        return openStream(response);
      case "trickle":
        return streamWithoutEnd(response, reply.text, newCallId());
      case "held":
        await reply.gate;
        return perform(reply.reply, response);
    }
  }

  const { port, close } = await listenOnLoopback(server);

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    waitForRequest: (n, timeoutMs = patience) =>
      within(arrival(n).promise, timeoutMs, () => `Request ${n} never came; ${requests.length} did`),
    close,
    [Symbol.asyncDispose]: close,
  };
}

// The random part keeps ids apart when a session is resumed against another model.
function uniqueIds(): () => string {
  const prefix = randomUUID().slice(0, 8);
  let count = 0;
  return () => `call_${prefix}_${++count}`;
}
