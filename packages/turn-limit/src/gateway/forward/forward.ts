import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { basicCredentials, withoutCredentials } from "../addresses.ts";
import { type DecodedCopy, decodedCopy } from "./decoding.ts";
import { type Exchange, READ_ONLY, writeChunk } from "./exchange.ts";
import { answerHeaders, MAX_HEADER_BYTES, requestHeaders } from "./headers.ts";
import type { UpstreamConnections } from "./upstream-connections.ts";

/** What is sent to a provider, and what is done about its answer. */
export interface Outgoing {
  /** The full address. Credentials in it are sent where the request has no `Authorization` of its own. */
  readonly url: URL;
  /** The path and query exactly as they are sent. A `URL` would change some of them. */
  readonly path: string;
  readonly body: Uint8Array | undefined;
  /** Is the body another one than was received? Then it is not compressed, whatever the request's headers say. */
  readonly isRewritten: boolean;
  /**
   * Is the answer wanted without compression? Then the watcher sees each byte before the client can act on it: decoding
   * takes time.
   */
  readonly wantsPlain: boolean;
  /** Sees the answer. Must not throw. */
  readonly watcher: Watcher;
  /** Aborted when a limit wants the exchange to end at once. */
  readonly cutOff: AbortSignal;
  /**
   * May it be sent again, because the provider closed a kept connection before it answered? The provider may have read the
   * first one nevertheless. Must not reject.
   */
  mayResend(): Promise<boolean>;
  /** The JSON body of an answer of the gateway's own, where there is none of the provider's to pass on. */
  errorBody(status: number, message: string): string;
}

/** Observes an answer. */
export interface Watcher {
  /** The answer begins. */
  begins?(status: number, headers: IncomingHttpHeaders): void;
  /** The next bytes, decoded if the answer is compressed. They have already been passed on. */
  push?(chunk: Uint8Array): void;
}

/** Who ended an exchange early. */
type EndedBy = "agent" | "provider" | "limit";

/** How a forwarded request ended. The watcher has seen everything by then. */
export type Passed =
  /** The answer was forwarded completely. */
  | { readonly kind: "complete" }
  /** The answer began, and was cut off. Both connections are closed. */
  | { readonly kind: "cut-off"; readonly by: EndedBy }
  /**
   * There was no answer that could be passed on. If that is because of the provider, the client got an error that says
   * `why`. Otherwise both connections are closed. `wasSent`: the provider may have read all of the request, and would
   * have answered.
   */
  | {
      readonly kind: "unanswered";
      readonly by: EndedBy;
      readonly wasSent: boolean;
      readonly why?: string;
    };

/**
 * Sends a request on to the provider, and the answer back as it comes, byte for byte. Neither side is read faster than
 * the other one takes it. Never rejects.
 */
export function forward(
  exchange: Exchange,
  outgoing: Outgoing,
  connections: UpstreamConnections,
): Promise<Passed> {
  return new Promise((resolve) => {
    new Forwarding(exchange, outgoing, connections, resolve).begin();
  });
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

class Forwarding {
  readonly #exchange: Exchange;
  #outgoing: Outgoing;
  readonly #connections: UpstreamConnections;
  readonly #resolve: (passed: Passed) => void;
  #upstream: ClientRequest | undefined;
  #isAnswered = false;
  #copy: DecodedCopy | undefined;
  #isOver = false;

  constructor(
    exchange: Exchange,
    outgoing: Outgoing,
    connections: UpstreamConnections,
    resolve: (passed: Passed) => void,
  ) {
    this.#exchange = exchange;
    this.#outgoing = outgoing;
    this.#connections = connections;
    this.#resolve = resolve;
  }

  begin(): void {
    const { signal } = this.#exchange;
    const { cutOff } = this.#outgoing;
    signal.addEventListener("abort", this.#agentLeft);
    cutOff.addEventListener("abort", this.#limitReached);
    if (signal.aborted) this.#agentLeft();
    else if (cutOff.aborted) this.#limitReached();
    else this.#send(false);
  }

  #send(isFresh: boolean): void {
    const { request } = this.#exchange;
    const { url, path, body } = this.#outgoing;
    const credentials = request.headers.authorization === undefined ? basicCredentials(url) : undefined;
    let upstream: ClientRequest;
    try {
      const connection = this.#connections.to(url, isFresh);
      upstream = connection.request({
        method: request.method,
        host: connection.host,
        port: connection.port,
        path: connection.pathPrefix + path,
        headers: requestHeaders(request, this.#outgoing, [
          ...connection.headers,
          ...(credentials === undefined ? [] : ["Authorization", credentials]),
        ]),
        agent: connection.agent,
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
      if (this.#isOver || this.#isAnswered) return;
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
    const mayResend = await this.#outgoing.mayResend();
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
    if (REDIRECTS.has(status) && !READ_ONLY.has(this.#exchange.request.method ?? "")) {
      this.#redirected(headers.location);
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
    this.#isAnswered = true;
    // It is not sent again, so it need not be kept while the answer is awaited.
    this.#outgoing = { ...this.#outgoing, body: undefined };
    const { watcher } = this.#outgoing;
    watcher.begins?.(status, headers);
    const copy = watcher.push && decodedCopy(headers["content-encoding"], watcher.push.bind(watcher));
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
      this.#end({ kind: "complete" });
    });
    answer.on("error", () => {});
    answer.once("close", () => {
      if (this.#isOver) return;
      for (let rest = answer.read(); rest !== null; rest = answer.read()) {
        writeChunk(response, rest);
        copy?.push(rest);
      }
      this.#cut();
    });
    // The first bytes of the body are often here already. Then the headers go with them.
    process.nextTick(() => {
      if (!hasBegun) response.flushHeaders();
    });
  }

  /** The provider closed the connection: the client's is closed in the same way, after all received bytes. */
  #cut(): void {
    const { request, response } = this.#exchange;
    // Before HTTP/1.1 an answer can end with its connection, so that only a reset tells a cut.
    if (request.httpVersion === "1.0") response.socket?.resetAndDestroy();
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

  readonly #agentLeft = () => this.#stop("agent");

  readonly #limitReached = () => this.#stop("limit");

  #stop(by: EndedBy): void {
    if (this.#isOver) return;
    const wasSent = this.#upstream?.writableFinished ?? false;
    this.#end(this.#isAnswered ? { kind: "cut-off", by } : { kind: "unanswered", by, wasSent });
    this.#upstream?.destroy();
    this.#exchange.response.destroy();
  }

  #end(passed: Passed): void {
    this.#isOver = true;
    this.#exchange.signal.removeEventListener("abort", this.#agentLeft);
    this.#outgoing.cutOff.removeEventListener("abort", this.#limitReached);
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

function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] as string, raw[at + 1] as string]);
  return pairs;
}
