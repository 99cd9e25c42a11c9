import type { SeenRequest } from "../agents/profile.ts";
import type { AnswerReport, Asked, Json, MadeAnswer, Protocol } from "../protocols/protocol.ts";

/** A request for an answer, or another one that may cost something. */
export interface CountedRequest {
  readonly headers: SeenRequest["headers"];
  /** `undefined`: no protocol that is known. */
  readonly protocol: Protocol | undefined;
  readonly asked: Asked | undefined;
  /** `undefined`: it cannot be read. */
  readonly body: Json | undefined;
  /** The name of the provider, for its prices. */
  readonly provider: string | undefined;
}

/** What is done about a request. */
export type Verdict =
  | {
      readonly kind: "forward";
      /** Another body than was received. */
      readonly body?: Buffer;
      /** May it be sent once more? Then that is one more request. Never rejects. */
      mayResend(): Promise<boolean>;
      /** Aborted when a limit ends the request in the middle. */
      readonly cutOff: AbortSignal;
      /** To be called at the end, whatever that is, with what is known of the answer. Only the first call counts. Never throws. */
      ended(report: AnswerReport | undefined): void;
    }
  | { readonly kind: "answer"; readonly answer: MadeAnswer }
  | { readonly kind: "refuse"; readonly message: string };
