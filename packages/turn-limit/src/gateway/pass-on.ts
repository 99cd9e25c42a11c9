import type { Exchange } from "./forward/exchange.ts";
import { forward, type Passed, type Watcher } from "./forward/forward.ts";
import type { UpstreamConnections } from "./forward/upstream-connections.ts";
import { AnswerReader, unanswered } from "./protocols/answer-reader.ts";
import { errorBody } from "./protocols/made-answer.ts";
import { asksOtherwise, otherEndpoints } from "./protocols/other-endpoints.ts";
import type { AnswerReport, Protocol } from "./protocols/protocol.ts";
import type { Verdict } from "./requests/verdict.ts";
import { stopOf } from "./stop-header.ts";

/** A provider, by its base address. */
export interface Upstream {
  readonly url: URL;
  /** The same, without a slash at its end. */
  readonly address: string;
  /** What lists of prices call it. `undefined`: it is not known. */
  readonly provider: string | undefined;
}

/** Where a request is to be sent. */
export interface Destination {
  readonly upstream: Upstream;
  /** The path below it as it was received, without the query. */
  readonly path: string;
  /** The query with its question mark, or nothing. */
  readonly query: string;
}

/** What is forwarded. */
interface Forwarded {
  readonly protocol: Protocol | undefined;
  /** The path, as it is understood. */
  readonly path: string;
  /** The body as it was received. */
  readonly bytes: Buffer | undefined;
  /** `undefined`: the request costs nothing, and nobody is told how it ended. */
  readonly verdict: Extract<Verdict, { kind: "forward" }> | undefined;
}

/**
 * Forwards a request, and tells its verdict what the answer took, whatever happens. Nothing here and
 * in the functions below is `async`: that would keep the request in memory for as long as the answer streams.
 */
export function passOn(
  exchange: Exchange,
  { upstream: { url }, path, query }: Destination,
  { protocol, path: understood, bytes, verdict }: Forwarded,
  connections: UpstreamConnections,
): Promise<void> {
  const { body, ended } = verdict ?? {};
  const isJson = exchange.request.headers["content-type"]?.startsWith("multipart/") !== true;
  const reading = readAnswer(
    protocol,
    asksOtherwise(understood) !== undefined,
    isJson ? (bytes?.length ?? 0) : 0,
  );
  const outgoing = {
    url,
    // Every request has a path, if only the root.
    path: `${url.pathname.replace(/\/$/, "")}${path}${query}`.replace(/^(?!\/)/, "/"),
    body: body ?? bytes,
    isRewritten: body !== undefined,
    wantsPlain: verdict !== undefined,
    watcher: verdict ? reading.watcher : {},
    cutOff: verdict?.cutOff ?? NEVER,
    mayResend: verdict?.mayResend ?? (() => Promise.resolve(true)),
    errorBody: (status: number, message: string) => errorBody(protocol, status, message),
  };
  return forward(exchange, outgoing, connections).then(
    (passed) => ended?.(reading.report(passed)),
    (error) => {
      ended?.(undefined);
      throw error;
    },
  );
}

const NEVER = new AbortController().signal;

const NOTHING_KNOWN: AnswerReport = { usage: undefined, model: undefined, estimate: undefined };

/** Reads what an answer took. `asksModel`: a model answers, although the protocol is not known. */
function readAnswer(
  protocol: Protocol | undefined,
  asksModel: boolean,
  askedBytes: number,
): { watcher: Watcher; report(passed: Passed): AnswerReport | undefined } {
  let reader: AnswerReader | undefined;
  let stoppedBy: string | undefined;
  return {
    watcher: {
      begins: (status, headers) => {
        reader = new AnswerReader(protocol ?? otherEndpoints, status, headers["content-type"]);
        stoppedBy = stopOf(headers);
      },
      push: (chunk) => reader?.push(chunk),
    },
    report: (passed) => {
      const { why } = passed.kind === "unanswered" ? passed : {};
      if (why !== undefined) return { ...NOTHING_KNOWN, problem: why };
      // The provider may have read the request even if the client disconnected before the answer.
      const isLost = passed.kind === "unanswered" && passed.wasSent;
      // An answer that another gateway made took nothing.
      if (stoppedBy !== undefined) return { ...NOTHING_KNOWN, stoppedBy };
      const report = isLost ? unanswered(askedBytes) : reader?.end(askedBytes);
      if (protocol || !report?.estimate) return report;
      // What such an answer has is not text. Of a request that asks no model only reported usage is counted.
      return { ...report, estimate: asksModel ? unanswered(askedBytes).estimate : undefined };
    },
  };
}
