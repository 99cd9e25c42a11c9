import type { IncomingMessage, ServerResponse } from "node:http";
import type { Boundary } from "../core/limits/boundary.ts";
import type { Endpoint } from "./endpoints.ts";
import { decodedBody, jsonOf, readBody } from "./forward/body.ts";
import { type Exchange, headersOf, isReadOnly, methodOf, openExchange, respond } from "./forward/exchange.ts";
import type { UpstreamConnections } from "./forward/upstream-connections.ts";
import { takeHeadersForGateways } from "./headers-for-gateways.ts";
import { takeKey } from "./keys.ts";
import { passOn } from "./pass-on.ts";
import { protocolOfTranscript } from "./protocols/all-protocols.ts";
import { errorBody } from "./protocols/made-answer.ts";
import { withoutOwnCalls } from "./protocols/own-calls.ts";
import { textIn } from "./protocols/parts-of-json.ts";
import type { Asked, Json } from "./protocols/protocol.ts";
import type { GatewayRun } from "./requests/gateway-run.ts";
import { ReceivedRequest } from "./requests/received-request.ts";
import type { Routes } from "./routes.ts";
import { stopHeader } from "./stop-header.ts";

/** What the server of a gateway is made of. */
export interface ServerParts {
  readonly routes: Routes;
  readonly connections: UpstreamConnections;
  /** The run that a request belongs to. A text: why it belongs to none. */
  runOf(exchange: Exchange, query: string): GatewayRun | string;
  /** The host names that are accepted, in small letters, each with its port. */
  readonly hosts: ReadonlySet<string>;
  readonly maxBody?: number | undefined;
  /** Answers what belongs to no run: `/metrics`. */
  readonly metrics?: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
}

/** Handles one request: finds its provider, its protocol and its run, which decides about it. */
export async function handle(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = targetOf(parts, request);
  if (parts.metrics && target?.split("?")[0] === "/metrics") return parts.metrics(request, response);
  const exchange = openExchange(request, response);
  const hasKey = takeKey(request, (text) => parts.routes.isKey(text));
  const route = target === undefined ? undefined : parts.routes.find(target, hasKey);
  const isPost = methodOf(request) === "POST";
  const protocol = isPost ? route?.endpoint.protocol : undefined;
  const refuse = (status: number, message: string, by?: Boundary) =>
    respond(response, status, errorBody(protocol, status, message), stopHeader(by));
  if (target === undefined) return refuse(403, "This gateway does not answer to that host.");
  if (!route) return refuse(404, "There is nothing at this address.");

  const { endpoint, query } = route;
  const run = parts.runOf(exchange, query);
  if (typeof run === "string") return refuse(403, run);
  if (isPost && endpoint.spendsElsewhere !== undefined) {
    run.refusedElsewhere(endpoint.spendsElsewhere);
    return refuse(403, endpoint.spendsElsewhere);
  }
  const headers = headersOf(request);
  const upstream = run.upstreamFor(headers, endpoint.upstream);
  takeHeadersForGateways(request, upstream.url);
  // Nothing of it is sent before it is decided, not even its head: a provider sees a request that is never completed, too.
  const read = await readBody(request, parts.maxBody);
  if (read.kind === "gone") return;
  if (read.kind === "too-large") return refuse(413, "The request is larger than the gateway takes.");
  const { bytes } = read;
  const refusal = protocol ? undefined : run.refusal;
  if (refusal) return refuse(402, refusal.message, refusal.by);
  const destination = { upstream, endpoint, query };
  if (isReadOnly(request) || (request.method === "POST" && endpoint.countsTokens)) {
    const verdict = run.askedAgain(endpoint.understood);
    return passOn(exchange, destination, { protocol, bytes, verdict }, parts.connections);
  }

  const encoding = request.headers["content-encoding"];
  const decoded = bytes && encoding !== undefined ? await decodedBody(bytes, encoding) : bytes;
  const transcript = protocol ?? protocolOfTranscript(endpoint.understood);
  const without = transcript && decoded && withoutOwnCalls(transcript, decoded);
  const received = new ReceivedRequest(
    {
      headers,
      protocol,
      upstream: upstream.address,
      provider: upstream.provider ?? protocol?.provider ?? endpoint.otherwise,
      ownCalls: without?.calls ?? [],
    },
    without?.bytes ?? decoded,
    jsonOf,
    (body) => (protocol ? protocol.asked(endpoint.understood, query, body) : askedOtherwise(endpoint, body)),
  );
  const decided = run.decide(received, exchange.gone);
  // Most are decided at once.
  const verdict = decided instanceof Promise ? await decided : decided;
  if (verdict.kind === "forward") {
    const changed = verdict.takeBody() ?? without?.bytes;
    return passOn(exchange, destination, { protocol, bytes, changed, verdict }, parts.connections);
  }
  if (exchange.gone.isCancelled) return;
  if (verdict.kind === "refuse") return refuse(402, verdict.message, verdict.by);
  const { contentType, body: made } = verdict.answer;
  response.writeHead(200, {
    "content-type": contentType,
    "cache-control": "no-cache",
    ...stopHeader(verdict.by),
  });
  response.end(made);
}

/** What is asked of a model, where no protocol is for that. */
function askedOtherwise({ otherwise }: Endpoint, { model }: Json): Asked | undefined {
  return otherwise ? { model: textIn(model), streams: false } : undefined;
}

/**
 * The path and query of a request, which may come with the host before them. `undefined`: the host is not ours. A page
 * in a browser can make requests to this machine, but not with its name.
 */
function targetOf({ hosts }: ServerParts, { headers, url = "" }: IncomingMessage): string | undefined {
  const isOurs = (host = "") => hosts.has(host) || hosts.has(host.toLowerCase());
  if (!isOurs(headers.host)) return undefined;
  if (url.startsWith("/")) return url;
  const [, host, path = ""] = /^http:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [undefined, headers.host, url];
  return isOurs(host) ? path : undefined;
}
