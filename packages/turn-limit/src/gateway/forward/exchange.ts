import type { IncomingMessage, ServerResponse } from "node:http";

/** A request, and where its answer goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client disconnects before the response is complete. */
  readonly signal: AbortSignal;
}

/** What is sent to a provider. */
export interface Outgoing {
  /** The full address. Credentials in it are sent where the request has no `Authorization` of its own. */
  readonly url: URL;
  /** The path and query exactly as they are sent. A `URL` would change some of them. Default: those of the address. */
  readonly path?: string;
  readonly body: Uint8Array | undefined;
  /** Is the body another one than was received? Then it is not compressed, whatever the request's headers say. */
  readonly isRewritten?: boolean;
  /**
   * Is the answer wanted without compression? Then the watcher sees each byte before the client can act on it: decoding
   * takes time.
   */
  readonly wantsPlain?: boolean;
  /**
   * May it be sent again, because the provider closed a kept connection before it answered? The provider may have read the
   * first one nevertheless. Must not reject. Default: yes.
   */
  mayResend?(): Promise<boolean>;
  /** The JSON body of the answer 502, for a provider that cannot be reached. */
  unreachable?(message: string): string;
}

/** Observes an answer. Must not throw. */
export interface Watcher {
  /** The answer begins. */
  begins?(status: number, contentType: string | undefined): void;
  /** The next bytes, decoded if the answer is compressed. They have already been passed on. */
  push?(chunk: Uint8Array): void;
}

/** Who ended an exchange early. */
export type EndedBy = "agent" | "provider" | "limit";

/** How a forwarded request ended. The watcher has seen everything by then. */
export type Passed =
  /** The answer was forwarded completely. */
  | { readonly kind: "complete"; readonly status: number }
  /** The answer began, and was cut off. Both connections are closed. */
  | { readonly kind: "cut-off"; readonly by: EndedBy; readonly status: number }
  /**
   * There was no answer. Where the provider could not be reached, the client got status 502. Otherwise both
   * connections are closed. `wasSent`: the provider may have read all of the request, and would have answered.
   */
  | {
      readonly kind: "unanswered";
      readonly by: EndedBy;
      readonly why: string;
      readonly wasSent: boolean;
    };

/** The exchange of a request that has just arrived. */
export function openExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return { request, response, signal: gone.signal };
}
