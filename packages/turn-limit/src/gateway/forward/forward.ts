import type { ClientRequest, IncomingMessage } from "node:http";
import { basicCredentials } from "./address-credentials.ts";
import { type DecodedCopy, decodedCopy } from "./decoding.ts";
import type { EndedBy, Exchange, Outgoing, Passed, Watcher } from "./exchange.ts";
import { answerHeaders, MAX_HEADER_BYTES, requestHeaders } from "./headers.ts";
import type { UpstreamConnections } from "./upstream-connections.ts";
import { writeChunk } from "./write-chunk.ts";

/**
 * Sends a request on to the provider, and the answer back as it comes, byte for byte. Neither side is read faster than
 * the other one takes it. Never rejects.
 *
 * @param cutOff Aborted when a limit wants the exchange to end at once.
 */
export function forward(
  exchange: Exchange,
  outgoing: Outgoing,
  watcher: Watcher,
  connections: UpstreamConnections,
  cutOff: AbortSignal,
): Promise<Passed> {
  return new Promise((resolve) => {
    new Forwarding(exchange, outgoing, watcher, connections, cutOff, resolve).begin();
  });
}

class Forwarding {
  readonly #exchange: Exchange;
  #outgoing: Outgoing;
  readonly #watcher: Watcher;
  readonly #connections: UpstreamConnections;
  readonly #cutOff: AbortSignal;
  readonly #resolve: (passed: Passed) => void;
  #upstream: ClientRequest | undefined;
  #status: number | undefined;
  #copy: DecodedCopy | undefined;
  #isOver = false;

  constructor(
    exchange: Exchange,
    outgoing: Outgoing,
    watcher: Watcher,
    connections: UpstreamConnections,
    cutOff: AbortSignal,
    resolve: (passed: Passed) => void,
  ) {
    this.#exchange = exchange;
    this.#outgoing = outgoing;
    this.#watcher = watcher;
    this.#connections = connections;
    this.#cutOff = cutOff;
    this.#resolve = resolve;
  }

  begin(): void {
    const { signal } = this.#exchange;
    signal.addEventListener("abort", this.#agentLeft);
    this.#cutOff.addEventListener("abort", this.#limitReached);
    if (signal.aborted) this.#agentLeft();
    else if (this.#cutOff.aborted) this.#limitReached();
    else this.#send(false);
  }

  #send(isFresh: boolean): void {
    const { request } = this.#exchange;
    const {
      url,
      path = url.pathname + url.search,
      body,
      isRewritten = false,
      wantsPlain = false,
    } = this.#outgoing;
    const method = request.method ?? "GET";
    const credentials = request.headers.authorization === undefined ? basicCredentials(url) : undefined;
    let upstream: ClientRequest;
    try {
      const way = this.#connections.to(url, isFresh);
      upstream = way.request({
        method,
        host: way.host,
        port: way.port,
        path: way.pathPrefix + path,
        headers: requestHeaders(request.rawHeaders, {
          method,
          host: url.host,
          bodyBytes: body?.length,
          isRewritten,
          wantsPlain,
          added: [...way.headers, ...(credentials === undefined ? [] : ["Authorization", credentials])],
        }),
        agent: way.agent,
        maxHeaderSize: MAX_HEADER_BYTES,
      });
    } catch (error) {
      this.#unreachable(error as Error);
      return;
    }
    this.#upstream = upstream;
    let bytesBefore = 0;
    upstream.once("socket", (socket) => {
      bytesBefore = socket.bytesRead;
    });
    upstream.on("error", (error: NodeJS.ErrnoException) => {
      if (this.#isOver || this.#status !== undefined) return;
      const isSilent = (upstream.socket?.bytesRead ?? 0) === bytesBefore;
      if (!isFresh && upstream.reusedSocket && isSilent && isClosedConnection(error))
        void this.#sendAgain(error);
      else this.#unreachable(error);
    });
    upstream.on("information", (info) => this.#inform(info.statusCode, info.headers));
    upstream.once("upgrade", (_answer, socket) => {
      socket.destroy();
      this.#switched();
    });
    upstream.once("response", (answer) => {
      if (answer.statusCode === 101) this.#switched();
      else this.#pass(answer);
    });
    upstream.end(body);
  }

  async #sendAgain(error: Error): Promise<void> {
    const mayResend = await (this.#outgoing.mayResend?.() ?? Promise.resolve(true)).catch(() => false);
    if (this.#isOver) return;
    if (mayResend) this.#send(true);
    else this.#unreachable(error);
  }

  /** Forwards informational responses, except `100`: the client has already received one if it expected it. */
  #inform(status: number, headers: NodeJS.Dict<string | string[]>): void {
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
  #switched(): void {
    if (this.#isOver) return;
    this.#unreachable(new Error("it switched to another protocol"));
    this.#upstream?.destroy();
  }

  #pass(answer: IncomingMessage): void {
    const { response } = this.#exchange;
    const { statusCode: status = 0, statusMessage, rawHeaders, headers } = answer;
    response.sendDate = false;
    try {
      response.writeHead(status, statusMessage, answerHeaders(rawHeaders));
    } catch (error) {
      this.#unreachable(error as Error);
      this.#upstream?.destroy();
      return;
    }
    this.#status = status;
    // It is not sent again, so it need not be kept while the answer is awaited.
    this.#outgoing = { ...this.#outgoing, body: undefined };
    this.#watcher.begins?.(status, headers["content-type"]);
    const push = this.#watcher.push?.bind(this.#watcher);
    const copy = push && decodedCopy(headers["content-encoding"], push);
    this.#copy = copy;
    const goOn = () => answer.resume();
    let hasBegun = false;
    answer.on("data", (chunk: Buffer) => {
      hasBegun = true;
      if (!writeChunk(response, chunk)) {
        answer.pause();
        response.once("drain", goOn);
      }
      copy?.push(chunk);
    });
    answer.once("end", () => {
      if (!answer.complete) return;
      if (answer.rawTrailers.length > 0) response.addTrailers(pairsOf(answer.rawTrailers));
      response.end();
      this.#end({ kind: "complete", status });
    });
    answer.on("error", () => {});
    answer.once("close", () => {
      if (this.#isOver) return;
      for (let rest = answer.read(); rest !== null; rest = answer.read()) {
        writeChunk(response, rest);
        copy?.push(rest);
      }
      this.#cut(status);
    });
    // The first bytes of the body are often here already. Then the headers go with them.
    process.nextTick(() => {
      if (!hasBegun) response.flushHeaders();
    });
  }

  /** The provider closed the connection: the client's is closed in the same way, after all received bytes. */
  #cut(status: number): void {
    const { request, response } = this.#exchange;
    // Before HTTP/1.1 an answer can end with its connection, so that only a reset tells a cut.
    if (request.httpVersion === "1.0") response.socket?.resetAndDestroy();
    else if (response.socket) response.socket.destroySoon();
    else response.destroy();
    this.#end({ kind: "cut-off", by: "provider", status });
  }

  #unreachable(error: Error): void {
    const { response } = this.#exchange;
    const { url, unreachable = plainError } = this.#outgoing;
    const why = `${url.host} could not be reached: ${reasonOf(error)}`;
    const body = Buffer.from(unreachable(why));
    response.writeHead(502, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
    this.#end({ kind: "unanswered", by: "provider", why, wasSent: false });
  }

  readonly #agentLeft = () => this.#stop("agent", "the client disconnected");

  readonly #limitReached = () => this.#stop("limit", "a limit was reached");

  #stop(by: EndedBy, why: string): void {
    if (this.#isOver) return;
    const status = this.#status;
    const wasSent = this.#upstream?.writableFinished ?? false;
    this.#end(
      status === undefined ? { kind: "unanswered", by, why, wasSent } : { kind: "cut-off", by, status },
    );
    this.#upstream?.destroy();
    this.#exchange.response.destroy();
  }

  #end(passed: Passed): void {
    this.#isOver = true;
    this.#exchange.signal.removeEventListener("abort", this.#agentLeft);
    this.#cutOff.removeEventListener("abort", this.#limitReached);
    if (this.#copy) this.#copy.end(() => this.#resolve(passed));
    else this.#resolve(passed);
  }
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

function plainError(message: string): string {
  return JSON.stringify({ error: { message } });
}

function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] as string, raw[at + 1] as string]);
  return pairs;
}
