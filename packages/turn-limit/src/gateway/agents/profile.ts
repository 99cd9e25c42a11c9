import type { Json, Protocol } from "../protocols/protocol.ts";

/** A request as it was received, to be recognised. */
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
      /** Unique to the conversation: a sub-agent has its own. */
      readonly conversation: string;
      readonly isSubAgent: boolean;
      /** Compared to recognise a retry: the same in a request and its retries only. Default: the body. */
      readonly same?: unknown;
    }
  | { readonly kind: "compaction" | "aside" };

/** What is known of one agent's requests. One file each. */
export interface Profile {
  /** As people know it: `Claude Code`. */
  readonly name: string;
  /** For `--profile`: `claude-code`. */
  readonly id: string;
  /** The versions that it is tested with. The last is the one that the most is tested with. */
  readonly tested: readonly string[];
  /** How many milliseconds it waits for the first byte of an answer, minus a safety margin. */
  readonly waitsFor: number;
  /** Its version, according to the headers. `undefined`: another program made the request. */
  version(headers: SeenRequest["headers"]): string | undefined;
  /** What a request lacks that says what it is, in words: another version may not have it. `undefined`: nothing. */
  lacks(headers: SeenRequest["headers"]): string | undefined;
  /** Where a request goes instead of `upstream`, if its login decides that. */
  upstream?(headers: SeenRequest["headers"], upstream: string): string;
  /** What a request is. `undefined`: it is not recognised, and counts as a turn. */
  recognise(request: SeenRequest): Recognised | undefined;
}
