import type { Boundary } from "../../core/limits/boundary.ts";
import type { SeenRequest } from "../agents/profile.ts";
import type { Cancellation } from "../forward/cancellation.ts";
import type { AnswerReport, Asked, Json, MadeAnswer, Protocol, SeenCall } from "../protocols/protocol.ts";

/** A request that may cost something. */
export interface CountedRequest {
  readonly headers: SeenRequest["headers"];
  /** `undefined`: the protocol is not known. */
  readonly protocol: Protocol | undefined;
  readonly asked: Asked | undefined;
  /** The body, decoded, without calls of the gateway's own. `undefined`: there is none, or it cannot be decoded. */
  readonly bytes: Uint8Array | undefined;
  /** The calls of the gateway's own that were in it, with their results. */
  readonly ownCalls: readonly SeenCall[];
  /** `undefined`: it cannot be read. */
  readonly body: Json | undefined;
  /** Where it is sent: the base address of the provider. */
  readonly upstream: string;
  /** The name of the provider, for its prices. */
  readonly provider: string | undefined;
}

/** The request is not sent. */
export interface Refusal {
  readonly kind: "refuse";
  readonly message: string;
  /** The limit because of which it is not, where the one who reads that may know. */
  readonly by?: Boundary | undefined;
}

/** The request is sent. */
export interface ForwardVerdict {
  readonly kind: "forward";
  /** What is sent instead of the received body. Taken once, so that it is not kept while the answer streams. */
  takeBody(): Buffer | undefined;
  /** May it be sent again? That counts as another request. Never rejects. */
  mayResend(): Promise<boolean>;
  /** Cancelled when a limit ends the request in the middle. `undefined`: no limit does. */
  readonly cutOff: Cancellation | undefined;
  /** To be called when the request is over, with what is known of the answer. Only the first call counts. Never throws. */
  ended(report: AnswerReport | undefined): void;
}

/** What is done about a request. */
export type Verdict =
  | ForwardVerdict
  | { readonly kind: "answer"; readonly answer: MadeAnswer; readonly by: Boundary | undefined }
  | Refusal;
