import type { Boundary } from "../../core/limits/boundary.ts";
import type { SeenRequest } from "../agents/profile.ts";
import type { AnswerReport, Asked, Json, MadeAnswer, Protocol } from "../protocols/protocol.ts";

/** A request that may cost something. */
export interface CountedRequest {
  readonly headers: SeenRequest["headers"];
  /** `undefined`: the protocol is not known. */
  readonly protocol: Protocol | undefined;
  readonly asked: Asked | undefined;
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

/** What is done about a request. */
export type Verdict =
  | {
      readonly kind: "forward";
      /** What is sent instead of the received body. */
      readonly body?: Buffer;
      /** May it be sent again? That counts as another request. Never rejects. */
      mayResend(): Promise<boolean>;
      /** Aborted when a limit ends the request in the middle. */
      readonly cutOff: AbortSignal;
      /** To be called when the request is over, with what is known of the answer. Only the first call counts. Never throws. */
      ended(report: AnswerReport | undefined): void;
    }
  | { readonly kind: "answer"; readonly answer: MadeAnswer; readonly by: Boundary | undefined }
  | Refusal;
