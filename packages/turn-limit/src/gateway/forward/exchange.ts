import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Cancellation } from "./cancellation.ts";

/** A request, and where its answer goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Cancelled when the client disconnects before the response is complete. */
  readonly gone: Cancellation;
}

/** The exchange of a request that has just arrived. */
export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  return new OpenExchange(request, response);
}

/** Under this, connections know their open exchanges, and answers theirs: listeners of its own would be four functions for each. */
const EXCHANGES = Symbol("exchanges");
const EXCHANGE = Symbol("exchange");
type Connection = Socket & { [EXCHANGES]?: Set<OpenExchange> };
type Answer = ServerResponse & { [EXCHANGE]?: OpenExchange };

class OpenExchange implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly gone = new Cancellation();

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request;
    this.response = response;
    exchangesOn(request.socket).add(this);
    (response as Answer)[EXCHANGE] = this;
    response.on("close", answerClosed);
  }

  /** The client has closed its half of the connection. */
  clientEnded(): void {
    const { request, response } = this;
    if (response.writableEnded) return;
    if (response.headersSent) request.socket.destroy();
    else if (request.httpVersion !== "1.0") findOutIfGone(response);
  }

  closed(): void {
    exchangesOn(this.request.socket).delete(this);
    if (!this.response.writableFinished) this.gone.cancel();
  }
}

function exchangesOn(connection: Connection): Set<OpenExchange> {
  const known = connection[EXCHANGES];
  if (known) return known;
  const made = new Set<OpenExchange>();
  connection[EXCHANGES] = made;
  connection.on("end", clientEnded);
  return made;
}

function clientEnded(this: Connection): void {
  for (const exchange of [...exchangesOn(this)]) exchange.clientEnded();
}

function answerClosed(this: Answer): void {
  this[EXCHANGE]?.closed();
}

/** How long to wait before it is tried again, in milliseconds. The first attempt is answered, the second one fails. */
const SOON = 20;
const LATER = 1_000;

/**
 * A client that has closed its half of the connection waits for the answer, or has closed all of it. Only writing shows
 * which: an informational response is ignored by one that waits. The connection of one that is gone is closed by it.
 */
function findOutIfGone(response: ServerResponse, pause = SOON): void {
  if (response.headersSent || response.destroyed || !response.socket?.writable) return;
  response.writeProcessing();
  setTimeout(findOutIfGone, pause, response, LATER).unref();
}

/** Methods whose requests cost nothing. */
const READ_ONLY: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Headers by which some servers take another method than that of the request. */
const OTHER_METHOD = ["x-http-method-override", "x-http-method", "x-method-override"];

/** The method of a request, as servers may understand it. One that may be another is that of most requests to models. */
export function methodOf({ method, headers }: IncomingMessage): string | undefined {
  if (!READ_ONLY.has(method)) return method;
  return OTHER_METHOD.some((name) => headers[name] !== undefined) ? "POST" : method;
}

/** Does a request cost nothing, whatever its path is? */
export function isReadOnly(request: IncomingMessage): boolean {
  return READ_ONLY.has(methodOf(request));
}

/** The headers of a request. One that was sent several times is joined. */
export function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> {
  // Node has joined all others.
  const cookies = headers["set-cookie"];
  const joined = cookies ? { ...headers, "set-cookie": cookies.join(", ") } : headers;
  return joined as Readonly<Record<string, string | undefined>>;
}

/** Answers a request with JSON. */
export function respond(
  response: ServerResponse,
  status: number,
  body: string,
  headers?: Readonly<Record<string, string>>,
): void {
  // Some clients would retry otherwise.
  response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false", ...headers });
  response.end(body);
}
