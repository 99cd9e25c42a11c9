import type { Json, Protocol } from "../protocols/protocol.ts";
import type { QuestionTool } from "./question-tool.ts";

/** A request as it was received, to be recognised. */
export interface SeenRequest {
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly protocol: Protocol;
  readonly body: Json;
  /** Is the answer wanted as a stream? */
  readonly streams: boolean;
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
      /**
       * Is the conversation known only by how it begins, because no request names it? Another one may begin alike, so that
       * a request is a retry only if the same request was made before and was not answered.
       */
      readonly isByOpening?: boolean;
      readonly isSubAgent: boolean;
      /** Compared to recognise a retry: the same in a request and its retries only. Default: the body, byte for byte. */
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
  /**
   * A text in a result of a tool without what the agent adds of its own, such as the id of a process: two results that differ
   * in nothing else are the same. Left out: it adds nothing.
   */
  resultText?(text: string): string;
  /** The tool with which it gives its answer where the caller wants a form. Offered only then. */
  readonly finalTool?: string;
  /** Where a request goes instead of `upstream`, if its login decides that. */
  upstream?(headers: SeenRequest["headers"], upstream: string): string;
  /** Its tool by which a person is asked in a dialog of its own. */
  readonly dialog?: QuestionTool;
  /** What a request is. `undefined`: it is not recognised, and counts as a turn. */
  recognise(request: SeenRequest): Recognised | undefined;
}
