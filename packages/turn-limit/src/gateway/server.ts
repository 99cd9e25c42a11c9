import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "../core/errors/message-of.ts";
import { type Exchange, openExchange, type Watcher } from "./forward/exchange.ts";
import { forward } from "./forward/forward.ts";
import { MAX_HEADER_BYTES } from "./forward/headers.ts";
import { jsonOf, MAX_BODY_BYTES, readBody } from "./forward/read-body.ts";
import type { UpstreamConnections } from "./forward/upstream-connections.ts";
import { handleOddRequests, isWebSocket } from "./odd-requests.ts";
import { PROTOCOLS, protocolOf } from "./protocols/all-protocols.ts";
import { unanswered } from "./protocols/answer-reader.ts";
import type { AnswerReader, AnswerReport, Protocol } from "./protocols/protocol.ts";
import { providerAt } from "./providers.ts";
import type { GatewayRun } from "./requests/gateway-run.ts";
import type { CountedRequest, Verdict } from "./requests/verdict.ts";
import type { Destination, Routes } from "./routes.ts";

/** What a request says about its sender. */
interface Sender {
  /** All headers. One that was sent several times is a list. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: URLSearchParams;
  /** Calls back when the response is complete, or the client has disconnected. */
  whenOver(callback: () => void): void;
}

/** What the server of a gateway is made of. */
export interface ServerParts {
  readonly routes: Routes;
  readonly connections: UpstreamConnections;
  /** The run that a request belongs to. A text: why it belongs to none. */
  runOf(from: Sender): GatewayRun | string;
  /** Host names that are accepted besides those of this machine. */
  readonly hosts?: readonly string[];
  readonly maxBody?: number | undefined;
}

const LOOPBACK = "127.0.0.1";
/** Longer than agents keep their connections. */
const KEEP_ALIVE = 120_000;

/** Listens on this machine only. */
export async function listen(parts: ServerParts, port = 0): Promise<Server> {
  const take = (request: IncomingMessage, response: ServerResponse) => {
    void handle(parts, request, response).catch((error) => fail(response, error));
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE,
      requestTimeout: 0,
      noDelay: true,
      requireHostHeader: false,
      shouldUpgradeCallback: isWebSocket,
    },
    take,
  );
  // `Expect` is for the provider to answer.
  server.on("checkExpectation", take);
  handleOddRequests(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOOPBACK, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return server;
}

/** Where a server listens: `http://127.0.0.1:4711`. */
export function addressOf(server: Server): string {
  return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
}

async function handle(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const exchange = openExchange(request, response);
  const target = targetOf(parts, request);
  if (target === undefined)
    return respond(response, 403, plainError("This gateway does not answer to that host."));
  const route = parts.routes.find(target);
  if (!route) return respond(response, 404, plainError("There is nothing at this address."));
  const protocol = request.method === "POST" ? protocolOf(route.path) : undefined;
  const error = (status: number, message: string) => protocol?.error(status, message) ?? plainError(message);

  const run = parts.runOf({
    headers: allHeadersOf(request),
    query: new URLSearchParams(route.query),
    whenOver: (callback) => response.once("close", callback),
  });
  if (typeof run === "string") return respond(response, 403, error(403, run));
  const headers = headersOf(request);
  const address = withoutSlash(route.upstream.href);
  const chosen = run.upstreamFor(headers, address);
  const upstream = chosen === address ? route.upstream : new URL(chosen);
  // Every request has a path, if only the root.
  const path = route.path || (upstream.pathname === "/" ? "/" : "");
  const destination = { ...route, path, upstream };
  const read = await readBody(request, parts.maxBody ?? MAX_BODY_BYTES);
  if (read.kind === "gone") return;
  if (read.kind === "too-large")
    return respond(response, 413, error(413, "The request is larger than the gateway takes."));
  const refusal = run.refusal;
  if (refusal !== undefined && !protocol) return respond(response, 402, error(402, refusal));
  if (!isCounted(request, destination)) return pass(parts, exchange, destination, protocol, read.bytes);

  const body = await jsonOf(read.bytes, request.headers["content-encoding"]);
  const asked = body && protocol?.asked(destination.path, destination.query, body);
  const provider = providerAt(destination.upstream) ?? protocol?.provider;
  const counted: CountedRequest = { headers, protocol, asked, body, provider };
  const verdict = await run.decide(counted, exchange.signal);
  if (verdict.kind === "forward") return pass(parts, exchange, destination, protocol, read.bytes, verdict);
  if (exchange.signal.aborted) return;
  if (verdict.kind === "refuse") return respond(response, 402, error(402, verdict.message));
  const { contentType, body: made } = verdict.answer;
  response.writeHead(200, { "content-type": contentType, "cache-control": "no-cache" });
  response.end(made);
}

/** Forwards a request, and reports to the run what the answer took, whatever happens. */
function pass(
  parts: ServerParts,
  exchange: Exchange,
  destination: Destination,
  protocol: Protocol | undefined,
  bytes: Buffer | undefined,
  verdict?: Extract<Verdict, { kind: "forward" }>,
): Promise<void> {
  const { ended } = verdict ?? {};
  return passedOn(parts, exchange, destination, protocol, bytes, verdict).then(
    (report) => ended?.(report),
    (error) => {
      ended?.(undefined);
      throw error;
    },
  );
}

/**
 * What the answer says. While it waits it keeps nothing of the request, as an answer may take long: so
 * there is no `await` in it.
 */
async function passedOn(
  { connections }: ServerParts,
  exchange: Exchange,
  { upstream, path, query }: Destination,
  protocol: Protocol | undefined,
  bytes: Buffer | undefined,
  verdict: Extract<Verdict, { kind: "forward" }> | undefined,
): Promise<AnswerReport | undefined> {
  const changed = verdict?.body;
  const askedBytes = bytes?.length ?? 0;
  let reader: AnswerReader | undefined;
  const watcher: Watcher = {
    begins: (status, contentType) => {
      reader = (protocol ?? PLAIN).reader(status, contentType);
    },
    push: (chunk) => reader?.push(chunk),
  };
  const outgoing = {
    url: upstream,
    path: `${withoutSlash(upstream.pathname)}${path}${query}` || "/",
    body: changed ?? bytes,
    isRewritten: changed !== undefined,
    wantsPlain: verdict !== undefined,
    ...(verdict && { mayResend: verdict.mayResend }),
    unreachable: (message: string) => protocol?.error(502, message) ?? plainError(message),
  };
  const cutOff = verdict?.cutOff ?? NEVER;
  return forward(exchange, outgoing, verdict ? watcher : {}, connections, cutOff).then((passed) => {
    // The provider may have read the request even if the client disconnected before the answer.
    const isLost = passed.kind === "unanswered" && passed.wasSent;
    const report = isLost ? unanswered(askedBytes) : reader?.end(askedBytes);
    // For an unknown endpoint only the usage that its answer reports is counted, and no estimate.
    return protocol || !report ? report : { ...report, estimate: undefined };
  });
}

/** How answers of unknown protocols are read. */
const PLAIN = PROTOCOLS.find(({ name }) => name === "chat-completions") as Protocol;
const NEVER = new AbortController().signal;

/** May the request cost something? Reading, and counting tokens, does not. */
function isCounted({ method = "" }: IncomingMessage, { path }: Destination): boolean {
  return !READ_ONLY.has(method) && !(method === "POST" && isTokenCount(path));
}

const READ_ONLY = new Set(["GET", "HEAD", "OPTIONS"]);

/** Some servers cut a path at certain characters, so a path with one of them is not trusted. */
function isTokenCount(path: string): boolean {
  try {
    return /^[^#?;%\\]*(\/count_tokens|:countTokens)$/.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, "");
}

/**
 * The path and query of a request, which may come with the host before them. `undefined`: the host is not ours. A page
 * in a browser can make requests to this machine, but not with its name.
 */
function targetOf({ hosts = [] }: ServerParts, request: IncomingMessage): string | undefined {
  const { headers, socket, url = "" } = request;
  const ours = [`${LOOPBACK}:${socket.localPort}`, `localhost:${socket.localPort}`, ...hosts];
  const isOurs = (host: string | undefined) => host !== undefined && ours.includes(host.toLowerCase());
  const [, host, path = ""] = /^http:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [undefined, headers.host, url];
  return isOurs(headers.host) && isOurs(host) ? path : undefined;
}

function headersOf({ headers }: IncomingMessage): Record<string, string | undefined> {
  const joined: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    joined[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}

// `headers` drops duplicates of some headers, which are forwarded nevertheless.
function allHeadersOf({ headersDistinct }: IncomingMessage): Sender["headers"] {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );
}

function respond(response: ServerResponse, status: number, body: string): void {
  // Some clients would retry otherwise.
  response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
  response.end(body);
}

function plainError(message: string): string {
  return JSON.stringify({ error: { message, type: "turn_limit" } });
}

// A request that cannot be handled is not forwarded: what is not counted must not pass.
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.destroy();
  else respond(response, 502, plainError(`The gateway failed: ${messageOf(error)}`));
}
