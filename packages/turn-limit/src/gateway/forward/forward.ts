import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { withoutCredentials } from "../addresses.ts";
import type { Cancellation, WhoWaits } from "./cancellation.ts";
import { type DecodedCopy, decodedCopy } from "./decoding.ts";
import { type Exchange, isReadOnly } from "./exchange.ts";
import { type FollowsAnswer, followAnswer, followRequest } from "./follow.ts";
import { answerHeaders, MAX_HEADER_BYTES, requestHeaders } from "./headers.ts";
import type { EndedBy, Outgoing, Passed } from "./outgoing.ts";
import type { UpstreamConnections } from "./upstream-connections.ts";
import { writeChunk } from "./write-chunk.ts";

/**
 * Sends a request on to the provider, and the answer back as it comes, byte for byte. Neither side is read faster than
 * the other one takes it. Never throws.
 */
export function forward(exchange: Exchange, outgoing: Outgoing, connections: UpstreamConnections): void {
  new Forwarding(exchange, outgoing, connections).begin();
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

class Forwarding implements WhoWaits, FollowsAnswer {
  readonly #exchange: Exchange;
  readonly #outgoing: Outgoing;
  readonly #connections: UpstreamConnections;
  #upstream: ClientRequest | undefined;
  /** How much its connection had received before. */
  #bytesBefore = 0;
  #isFresh = false;
  /** The answer that is passed on. */
  #answer: IncomingMessage | undefined;
  #hasBytes = false;
  /** What the watcher sees as soon as it is on its way. `undefined`: it is told of all bytes at once. */
  #unseen: Buffer[] | undefined = [];
  #copy: DecodedCopy | undefined;
  #isOver = false;

  constructor(exchange: Exchange, outgoing: Outgoing, connections: UpstreamConnections) {
    this.#exchange = exchange;
    this.#outgoing = outgoing;
    this.#connections = connections;
  }

  begin(): void {
    const { gone } = this.#exchange;
    const { cutOff } = this.#outgoing;
    gone.tell(this);
    cutOff?.tell(this);
    if (gone.isCancelled) this.cancelled(gone);
    else if (cutOff?.isCancelled) this.cancelled(cutOff);
    else this.#send(false);
  }

  cancelled(what: Cancellation): void {
    this.#stop(what === this.#exchange.gone ? "agent" : "limit");
  }

  #send(isFresh: boolean): void {
    const { request } = this.#exchange;
    const { url, path, body } = this.#outgoing;
    let upstream: ClientRequest;
    try {
      const way = this.#connections.to(url, isFresh);
      upstream = way.request({
        method: request.method,
        host: way.host,
        port: way.port,
        path: way.pathPrefix + path,
        headers: requestHeaders(request, this.#outgoing, way),
        agent: way.agent,
        maxHeaderSize: MAX_HEADER_BYTES,
      });
    } catch (error) {
      this.#unreachable(error as Error);
      return;
    }
    this.#upstream = upstream;
    this.#isFresh = isFresh;
    followRequest(upstream, this);
    upstream.end(body);
  }

  connected(socket: Socket): void {
    this.#bytesBefore = socket.bytesRead;
  }

  failed(upstream: ClientRequest, error: NodeJS.ErrnoException): void {
    if (this.#isOver || this.#answer) return;
    const isSilent = (upstream.socket?.bytesRead ?? 0) === this.#bytesBefore;
    if (!this.#isFresh && upstream.reusedSocket && isSilent && isClosedConnection(error))
      void this.#sendAgain(error);
    else this.#unreachable(error);
  }

  async #sendAgain(error: Error): Promise<void> {
    const mayResend = await this.#outgoing.mayResend();
    if (this.#isOver) return;
    if (mayResend) this.#send(true);
    else this.#unreachable(error);
  }

  /** Forwards informational responses, except `100`: the client has already received one if it expected it. */
  inform(status: number, headers: NodeJS.Dict<string | string[]>): void {
    const { response } = this.#exchange;
    if (status === 102) response.writeProcessing();
    if (status !== 103) return;
    try {
      response.writeEarlyHints(headers as Record<string, string | string[]>);
    } catch {
      // Node takes only well-formed hints.
    }
  }

  /** No upgrade was requested, so what follows is not an answer. */
  switched(): void {
    if (this.#isOver) return;
    this.#unreachable(new Error("it switched to another protocol"));
    this.#upstream?.destroy();
  }

  pass(answer: IncomingMessage): void {
    const { response } = this.#exchange;
    const { statusCode: status = 0, statusMessage, rawHeaders } = answer;
    if (REDIRECTS.has(status) && !isReadOnly(this.#exchange.request)) {
      this.#redirected(answer.headers.location);
      return;
    }
    response.sendDate = false;
    try {
      response.writeHead(status, statusMessage, answerHeaders(rawHeaders));
    } catch (error) {
      this.#unreachable(error as Error);
      this.#upstream?.destroy();
      return;
    }
    this.#answer = answer;
    this.#outgoing.body = undefined;
    followAnswer(answer, this);
    // The first bytes of the body are often here already. Then the headers go with them.
    process.nextTick(flushHeaders, this);
  }

  flushHeaders(): void {
    if (!this.#hasBytes) this.#exchange.response.flushHeaders();
  }

  passOn(answer: IncomingMessage, chunk: Buffer): void {
    const { response } = this.#exchange;
    this.#hasBytes = true;
    if (!writeChunk(response, chunk)) {
      answer.pause();
      response.once("drain", () => answer.resume());
    }
    if (!this.#unseen) this.#show(chunk);
    // Reading the beginning takes the longest, and the client waits for it.
    else if (this.#unseen.push(chunk) === 1) process.nextTick(afterWriting, this);
  }

  /** Shows the watcher what it has not seen. */
  catchUp(): void {
    const chunks = this.#unseen;
    if (!chunks || !this.#answer) return;
    this.#unseen = undefined;
    const { statusCode = 0, headers } = this.#answer;
    const { watcher } = this.#outgoing;
    watcher.begins?.(statusCode, headers);
    this.#copy = watcher.push && decodedCopy(headers["content-encoding"], watcher.push.bind(watcher));
    for (const chunk of chunks) this.#show(chunk);
  }

  #show(chunk: Buffer): void {
    if (this.#copy) this.#copy.push(chunk);
    else this.#outgoing.watcher.push?.(chunk);
  }

  complete(answer: IncomingMessage): void {
    const { response } = this.#exchange;
    if (!answer.complete) return;
    if (answer.rawTrailers.length > 0) response.addTrailers(pairsOf(answer.rawTrailers));
    response.end();
    this.#end({ kind: "complete" });
  }

  closed(answer: IncomingMessage): void {
    if (this.#isOver) return;
    for (let rest = answer.read(); rest !== null; rest = answer.read()) {
      writeChunk(this.#exchange.response, rest);
      if (this.#unseen) this.#unseen.push(rest);
      else this.#show(rest);
    }
    this.#cut();
  }

  /** The provider closed the connection: the client's is closed in the same way, after all received bytes. */
  #cut(): void {
    const { request, response } = this.#exchange;
    // Before HTTP/1.1 an answer can end with its connection, so that only a reset tells a cut.
    if (request.httpVersion === "1.0") reset(response.socket);
    else if (response.socket) response.socket.destroySoon();
    else response.destroy();
    this.#end({ kind: "cut-off", by: "provider" });
  }

  #unreachable(error: Error): void {
    this.#fail(502, `${this.#outgoing.url.host} could not be reached: ${reasonOf(error)}`);
  }

  /** The client would follow a redirect by itself, past the gateway. */
  #redirected(location = ""): void {
    const { url } = this.#outgoing;
    const where = URL.canParse(location, url.href) ? new URL(location, url).href : location;
    const to = `${url.host} redirects to ${withoutCredentials(where)}`;
    this.#fail(410, `${to}, which would bypass the limits. Use that base address instead.`);
    this.#upstream?.destroy();
  }

  #fail(status: number, why: string): void {
    const { response } = this.#exchange;
    const body = Buffer.from(this.#outgoing.errorBody(status, why));
    response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
    this.#end({ kind: "unanswered", by: "provider", wasSent: false, why });
  }

  #stop(by: EndedBy): void {
    if (this.#isOver) return;
    const wasSent = this.#upstream?.writableFinished ?? false;
    this.#end(this.#answer ? { kind: "cut-off", by } : { kind: "unanswered", by, wasSent });
    this.#upstream?.destroy();
    this.#exchange.response.destroy();
  }

  #end(passed: Passed): void {
    this.#isOver = true;
    this.#exchange.gone.tell(undefined);
    this.#outgoing.cutOff?.tell(undefined);
    this.catchUp();
    if (this.#copy) this.#copy.end(() => this.#outgoing.over(passed));
    else this.#outgoing.over(passed);
  }
}

function flushHeaders(forwarding: Forwarding): void {
  forwarding.flushHeaders();
}

/** What was written before goes out in between. */
function afterWriting(forwarding: Forwarding): void {
  process.nextTick(catchUp, forwarding);
}

function catchUp(forwarding: Forwarding): void {
  forwarding.catchUp();
}

/** Sends what was held back, and resets the connection. */
function reset(socket: Socket | null): void {
  socket?.uncork();
  socket?.resetAndDestroy();
}

/** Had the other side closed the connection when the request went out? */
function isClosedConnection({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}

/** Node tries all addresses of a host, and puts what came of each into one error without a message. */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return first?.message || (error as NodeJS.ErrnoException).code || error.name;
}

function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] as string, raw[at + 1] as string]);
  return pairs;
}
