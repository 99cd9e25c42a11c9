import type { Json, Protocol } from "../protocols/protocol.ts";

/** A request as it came, to be recognised. */
export interface SeenRequest {
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly protocol: Protocol;
  readonly body: Json;
}

/**
 * What a request is.
 *
 * - `turn`: a turn of the main loop, or of a sub-agent
 * - `compaction`: it shortens the transcript
 * - `aside`: a title, a warm-up or another request that is known and is no turn
 */
export type Recognised =
  | {
      readonly kind: "turn";
      /** Unlike that of every other conversation: a sub-agent has its own. */
      readonly conversation: string;
      readonly isSubAgent: boolean;
      /** Names the prompt that it belongs to, if that is certainly a person's. A new name is a new prompt. */
      readonly prompt?: string;
      /** What is the same in a request that is made again, and in no other of this conversation. Default: the body. */
      readonly same?: unknown;
    }
  | { readonly kind: "compaction" | "aside" };

/** What is known of one agent's requests. One file each. */
export interface Profile {
  /** As people know it: `Claude Code`. */
  readonly name: string;
  /** For `--profile`: `claude-code`. */
  readonly id: string;
  /** The versions that it was tested with. */
  readonly tested: readonly string[];
  /** How many milliseconds it waits for the first byte of an answer, with some to spare. */
  readonly waitsFor: number;
  /** Its version, as its requests say. */
  version(headers: SeenRequest["headers"]): string | undefined;
  /** Where a request goes whose login decides it, instead of the address that it was made for. */
  upstream?(headers: SeenRequest["headers"], upstream: string): string;
  /** What a request is, if it is recognised. */
  recognise(request: SeenRequest): Recognised | undefined;
}
