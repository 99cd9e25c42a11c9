import type { IncomingHttpHeaders } from "node:http";
import type { Cancellation } from "./cancellation.ts";

/** What is sent to a provider, and what is done about its answer. */
export interface Outgoing {
  /** The full address. Credentials in it are sent where the request has no `Authorization` of its own. */
  readonly url: URL;
  /** The path and query exactly as they are sent. A `URL` would change some of them. */
  readonly path: string;
  /** Is let go of when the answer begins: then it is not sent again. */
  body: Uint8Array | undefined;
  /** Is the body another one than was received? Then it is not compressed, whatever the request's headers say. */
  readonly isRewritten: boolean;
  /**
   * Is the answer wanted without compression? Then the watcher sees each byte before the client can act on it: decoding
   * takes time.
   */
  readonly wantsPlain: boolean;
  /** Sees the answer. Must not throw. */
  readonly watcher: Watcher;
  /** Cancelled when a limit wants the exchange to end at once. */
  readonly cutOff?: Cancellation | undefined;
  /**
   * May it be sent again, because the provider closed a kept connection before it answered? The provider may have read the
   * first one nevertheless. Must not reject.
   */
  mayResend(): Promise<boolean>;
  /** Told how it ended, when the watcher has seen everything. Must not throw. */
  over(passed: Passed): void;
  /** The JSON body of an answer of the gateway's own, where there is none of the provider's to pass on. */
  errorBody(status: number, message: string): string;
}

/** Observes an answer. */
export interface Watcher {
  /** The answer has begun. Told with its first bytes, or at its end. */
  begins?(status: number, headers: IncomingHttpHeaders): void;
  /** The next bytes, decoded if the answer is compressed. They have already been passed on. */
  push?(chunk: Uint8Array): void;
}

/** Who ended an exchange early. */
export type EndedBy = "agent" | "provider" | "limit";

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
