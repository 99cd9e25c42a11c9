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

/** How an agent is started. */
export interface Start {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The person's own files, to be read and never written: what they say decides where an agent's requests go. */
export interface PersonsFiles {
  /** The folder in which the agent is started. */
  readonly folder: string;
  /** The person's own folder. */
  readonly home: string;
  /** What the file says. `undefined`: it is not there, or cannot be read. */
  read(path: string): string | undefined;
  /** Is there a file or folder? */
  exists(path: string): boolean;
}

/** Where the gateway is for an agent. */
export interface Addresses {
  /**
   * The address, without a slash at its end, at which everything reaches the provider at `upstream`, which is a base
   * address such as `https://api.anthropic.com`.
   */
  to(upstream: string): string;
}

/** What is known of one agent, by its requests. One file each. */
export interface Profile {
  /** As people know it: `Claude Code`. */
  readonly name: string;
  /** For `--profile`: `claude-code`. */
  readonly id: string;
  /** What it is called on the command line, without a folder. */
  readonly commands: readonly string[];
  /** The packages that `npx` starts it from. */
  readonly packages: readonly string[];
  /** The versions that it was tested with. */
  readonly tested: readonly string[];
  /** Its version, as its requests say. */
  version(headers: SeenRequest["headers"]): string | undefined;
  /** How it is started so that it talks to the gateway, without touching a file of the person's. */
  pointed(start: Start, addresses: Addresses, files: PersonsFiles): Start;
  /** Why requests of an agent that is started like this would not all pass the gateway. `undefined`: they do. */
  problem(start: Start, files: PersonsFiles): string | undefined;
  /** Where a request goes whose login decides it, instead of the address that it was made for. */
  upstream?(headers: SeenRequest["headers"], upstream: string): string;
  /** Does it work without a terminal, when started like this? Then a person can be asked on the terminal. */
  isHeadless(args: readonly string[]): boolean;
  /** How many milliseconds it waits for the first byte of an answer, with some to spare. */
  readonly waitsFor: number;
  /** What a request is, if it is recognised. */
  recognise(request: SeenRequest): Recognised | undefined;
}
