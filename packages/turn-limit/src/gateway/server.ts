import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { InvalidLimit } from "../core/errors/invalid-limit.ts";
import type { Boundary } from "../core/limits/boundary.ts";
import { A_BASE_ADDRESS, baseAddress, withoutCredentials } from "./addresses.ts";
import {
  decodedBody,
  type Exchange,
  headersOf,
  isReadOnly,
  jsonOf,
  methodOf,
  openExchange,
  readBody,
  respond,
} from "./forward/exchange.ts";
import type { UpstreamConnections } from "./forward/upstream-connections.ts";
import { takeKey } from "./keys.ts";
import { type Destination, passOn, type Upstream } from "./pass-on.ts";
import { protocolOf, protocolOfTranscript, understood } from "./protocols/all-protocols.ts";
import { errorBody } from "./protocols/made-answer.ts";
import { asksOtherwise } from "./protocols/other-endpoints.ts";
import { withoutOwnCalls } from "./protocols/own-calls.ts";
import { textIn } from "./protocols/parts-of-json.ts";
import type { Asked, Json } from "./protocols/protocol.ts";
import { spendsElsewhere } from "./protocols/spends-elsewhere.ts";
import { providerAt } from "./providers.ts";
import type { GatewayRun } from "./requests/gateway-run.ts";
import { ReceivedRequest } from "./requests/received-request.ts";
import { takeSaidToGateways } from "./said-to-gateways.ts";
import { stopHeader } from "./stop-header.ts";

/** What the server of a gateway is made of. */
export interface ServerParts {
  readonly routes: Routes;
  readonly connections: UpstreamConnections;
  /** The run that a request belongs to. A text: why it belongs to none. */
  runOf(exchange: Exchange, query: string): GatewayRun | string;
  /** Host names that are accepted besides those of this machine. */
  readonly hosts?: readonly string[] | undefined;
  readonly maxBody?: number | undefined;
  /** Answers what belongs to no run: `/metrics`. */
  readonly metrics?: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
}

/** The only address that the server listens at. */
export const LOOPBACK = "127.0.0.1";

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
  const path = understood(route?.path ?? "");
  const isPost = methodOf(request) === "POST";
  const protocol = isPost ? protocolOf(path) : undefined;
  const refuse = (status: number, message: string, by?: Boundary) =>
    respond(response, status, errorBody(protocol, status, message), stopHeader(by));
  if (target === undefined) return refuse(403, "This gateway does not answer to that host.");
  if (!route) return refuse(404, "There is nothing at this address.");

  const run = parts.runOf(exchange, route.query);
  if (typeof run === "string") return refuse(403, run);
  const elsewhere = isPost && !protocol ? spendsElsewhere(path) : undefined;
  if (elsewhere !== undefined) {
    run.refusedElsewhere(elsewhere);
    return refuse(403, elsewhere);
  }
  const headers = headersOf(request);
  const address = run.upstreamFor(headers, route.upstream.address);
  const upstream = address === route.upstream.address ? route.upstream : upstreamAt(new URL(address));
  const destination = { ...route, upstream };
  takeSaidToGateways(request, upstream.url);
  const read = await readBody(request, parts.maxBody);
  if (read.kind === "gone") return;
  if (read.kind === "too-large") return refuse(413, "The request is larger than the gateway takes.");
  const { bytes } = read;
  const { refusal } = run;
  if (refusal !== undefined && !protocol) return refuse(402, refusal.message, refusal.by);
  if (!isCounted(request, route.path)) {
    const verdict = run.askedAgain(path);
    return passOn(exchange, destination, { protocol, path, bytes, verdict }, parts.connections);
  }

  const provider = upstream.provider ?? protocol?.provider ?? asksOtherwise(path);
  const encoding = request.headers["content-encoding"];
  const decoded = bytes && encoding !== undefined ? await decodedBody(bytes, encoding) : bytes;
  const transcript = protocol ?? protocolOfTranscript(path);
  const without = transcript && decoded && withoutOwnCalls(transcript, decoded);
  const received = new ReceivedRequest(
    { headers, protocol, upstream: upstream.address, provider, ownCalls: without?.calls ?? [] },
    without?.bytes ?? decoded,
    jsonOf,
    (body) => (protocol ? protocol.asked(path, route.query, body) : askedOtherwise(path, body)),
  );
  const verdict = await run.decide(received, exchange.gone);
  if (verdict.kind === "forward") {
    const changed = verdict.takeBody() ?? without?.bytes;
    return passOn(exchange, destination, { protocol, path, bytes, changed, verdict }, parts.connections);
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
function askedOtherwise(path: string, { model }: Json): Asked | undefined {
  return asksOtherwise(path) ? { model: textIn(model), streams: false } : undefined;
}

/**
 * The path and query of a request, which may come with the host before them. `undefined`: the host is not ours. A page
 * in a browser can make requests to this machine, but not with its name.
 */
function targetOf({ hosts = [] }: ServerParts, request: IncomingMessage): string | undefined {
  const { headers, socket, url = "" } = request;
  const isOurs = (host: string | undefined) => host !== undefined && isHost(host, socket, hosts);
  if (url.startsWith("/")) return isOurs(headers.host) ? url : undefined;
  const [, host, path = ""] = /^http:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [undefined, headers.host, url];
  return isOurs(headers.host) && isOurs(host) ? path : undefined;
}

function isHost(given: string, { localPort }: Socket, others: readonly string[]): boolean {
  if (given === `${LOOPBACK}:${localPort}`) return true;
  const host = given.toLowerCase();
  return host === `localhost:${localPort}` || others.includes(host);
}

/** May the request cost something? Reading, and counting tokens, does not. */
function isCounted(request: IncomingMessage, path: string): boolean {
  return !isReadOnly(request) && !(request.method === "POST" && isTokenCount(path));
}

/** Some servers cut a path at certain characters, so a path with one of them is not trusted. */
function isTokenCount(path: string): boolean {
  try {
    return /^[^#?;%\\]*(\/count_tokens|:countTokens)$/.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}

/** Stands in a path for the key, which then comes in a header. */
const KEYLESS = "-";

/** The routes through a gateway: each provider has a number, behind a secret path. */
export class Routes {
  /** The secret part of every path. */
  readonly key: string;
  readonly #secret: Buffer;
  readonly #upstreams: Upstream[] = [];

  /** `secret`: the first part of every path. Default: a random one. */
  constructor(secret = randomBytes(24).toString("base64url")) {
    this.key = secret;
    this.#secret = Buffer.from(secret);
  }

  /** The path that leads to this provider. Throws `InvalidLimit` if `upstream` is not a base address. */
  pathTo(upstream: string): string {
    return `/${this.key}/${this.#numberOf(upstream)}`;
  }

  /** The same, for requests that have the key in a header. */
  keylessPathTo(upstream: string): string {
    return `/${KEYLESS}/${this.#numberOf(upstream)}`;
  }

  #numberOf(upstream: string): number {
    const url = baseAddress(upstream);
    if (!url) throw new InvalidLimit("upstream", withoutCredentials(upstream), A_BASE_ADDRESS);
    url.pathname = url.pathname.replace(/\/+$/, "");
    const known = this.#upstreams.findIndex((other) => other.url.href === url.href);
    return known < 0 ? this.#upstreams.push(upstreamAt(url)) - 1 : known;
  }

  /**
   * Where a request with this path goes. `undefined`: the secret is wrong, or there is no such provider. `hasKey`: it came
   * in a header. The number may be followed by `@` and the provider's host, for agents that look for it. `/v1` may be there twice, for agents that
   * have one address for several protocols.
   */
  find(target: string, hasKey = false): Destination | undefined {
    const [, secret = "", number = "", rest = ""] =
      /^\/([^/?]*)\/(\d{1,4})(?:@[^/?]*)?(?:\/v1(?=\/v1\/))?(?=[/?]|$)(.*)$/s.exec(target) ?? [];
    const upstream = this.#upstreams[Number(number)];
    const isAllowed = secret === KEYLESS ? hasKey : this.isKey(secret);
    if (!isAllowed || number === "" || !upstream) return undefined;
    const end = rest.indexOf("?");
    return end < 0
      ? { upstream, path: rest, query: "" }
      : { upstream, path: rest.slice(0, end), query: rest.slice(end) };
  }

  /** Is it the secret part of the paths? */
  isKey(given: string): boolean {
    const bytes = Buffer.from(given);
    return bytes.length === this.#secret.length && timingSafeEqual(bytes, this.#secret);
  }
}

function upstreamAt(url: URL): Upstream {
  return { url, address: url.href.replace(/\/$/, ""), provider: providerAt(url) };
}
