import type { IncomingHttpHeaders } from "node:http";
import { windowsIn } from "../run/plan-headers.ts";
import type { Upstream } from "./endpoints.ts";
import type { Cancellation } from "./forward/cancellation.ts";
import type { Exchange } from "./forward/exchange.ts";
import { forward } from "./forward/forward.ts";
import type { Outgoing, Passed, Watcher } from "./forward/outgoing.ts";
import type { UpstreamConnections } from "./forward/upstream-connections.ts";
import { AnswerReader, unanswered } from "./protocols/answer-reader.ts";
import { errorBody } from "./protocols/made-answer.ts";
import { otherEndpoints } from "./protocols/other-endpoints.ts";
import type { AnswerReport, Protocol } from "./protocols/protocol.ts";
import type { ForwardVerdict } from "./requests/verdict.ts";
import type { Route } from "./routes.ts";
import { stopOf } from "./stop-header.ts";

/** Where a request is to be sent. */
export interface Destination extends Route {
  /** The provider, which may be another one than that of the endpoint. */
  readonly upstream: Upstream;
}

/** What is forwarded. */
interface Forwarded {
  readonly protocol: Protocol | undefined;
  /** The body as it was received. */
  readonly bytes: Buffer | undefined;
  /** What is sent instead. */
  readonly changed?: Uint8Array | undefined;
  /** `undefined`: the request costs nothing, and nobody is told how it ended. */
  readonly verdict: ForwardVerdict | undefined;
}

/** Forwards a request, and tells its verdict what the answer took, whatever happens. */
export function passOn(
  exchange: Exchange,
  destination: Destination,
  forwarded: Forwarded,
  connections: UpstreamConnections,
): void {
  forward(exchange, new PassedOn(exchange, destination, forwarded), connections);
}

const NOTHING_KNOWN: AnswerReport = { usage: undefined, model: undefined, estimate: undefined };
const NOT_WATCHED: Watcher = {};

/**
 * A request that is passed on, and what its answer took. One object and no functions of its own: it is kept for as long as the
 * answer streams.
 */
class PassedOn implements Outgoing, Watcher {
  readonly url: URL;
  readonly path: string;
  body: Uint8Array | undefined;
  readonly isRewritten: boolean;
  readonly #verdict: ForwardVerdict | undefined;
  readonly #protocol: Protocol | undefined;
  /** Does a model answer, although the protocol is not known? */
  readonly #asksModel: boolean;
  readonly #askedBytes: number;
  #reader: AnswerReader | undefined;
  #stoppedBy: string | undefined;
  #isAnswer = false;
  #windows: AnswerReport["windows"];

  constructor(
    { request }: Exchange,
    { upstream: { url, basePath }, endpoint: { path, otherwise }, query }: Destination,
    { protocol, bytes, changed, verdict }: Forwarded,
  ) {
    this.url = url;
    // Every request has a path, if only the root.
    this.path = `${basePath}${path}` === "" ? `/${query}` : `${basePath}${path}${query}`;
    this.body = changed ?? bytes;
    this.isRewritten = changed !== undefined;
    this.#verdict = verdict;
    this.#protocol = protocol;
    this.#asksModel = protocol === undefined && otherwise !== undefined;
    const isJson = request.headers["content-type"]?.startsWith("multipart/") !== true;
    this.#askedBytes = isJson ? (bytes?.length ?? 0) : 0;
  }

  get wantsPlain(): boolean {
    return this.#verdict !== undefined;
  }

  get cutOff(): Cancellation | undefined {
    return this.#verdict?.cutOff;
  }

  get watcher(): Watcher {
    return this.#verdict ? this : NOT_WATCHED;
  }

  mayResend(): Promise<boolean> {
    return this.#verdict?.mayResend() ?? Promise.resolve(true);
  }

  errorBody(status: number, message: string): string {
    return errorBody(this.#protocol, status, message);
  }

  begins(status: number, headers: IncomingHttpHeaders): void {
    this.#isAnswer = status >= 200 && status < 300;
    this.#reader = new AnswerReader(this.#protocol ?? otherEndpoints, status, headers["content-type"]);
    this.#stoppedBy = stopOf(headers);
    // Who cannot answer may not tell of them either.
    const told = windowsIn(headers);
    if (told.length > 0 || this.#isAnswer) this.#windows = told;
  }

  push(chunk: Uint8Array): void {
    this.#reader?.push(chunk);
  }

  over(passed: Passed): void {
    this.#verdict?.ended(this.#report(passed));
  }

  #report(passed: Passed): AnswerReport | undefined {
    const { why } = passed.kind === "unanswered" ? passed : {};
    if (why !== undefined) return { ...NOTHING_KNOWN, problem: why };
    // The provider may have read the request even if the client disconnected before the answer.
    const isLost = passed.kind === "unanswered" && passed.wasSent;
    // An answer that another gateway made took nothing.
    if (this.#stoppedBy !== undefined) return { ...NOTHING_KNOWN, stoppedBy: this.#stoppedBy };
    const read = isLost ? unanswered(this.#askedBytes) : this.#reader?.end(this.#askedBytes);
    const isWhole = this.#isAnswer && passed.kind === "complete";
    const report = read && { ...read, windows: this.#windows, isWhole };
    if (this.#protocol || !report?.estimate) return report;
    // What such an answer has is not text. Of a request that asks no model only reported usage is counted.
    const estimate = this.#asksModel ? unanswered(this.#askedBytes).estimate : undefined;
    return { ...report, estimate };
  }
}
