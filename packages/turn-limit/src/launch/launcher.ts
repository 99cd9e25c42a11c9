import type { Profile } from "../gateway/agents/profile.ts";
import type { Addresses } from "../gateway/routes.ts";
import type { PersonsFiles } from "./files.ts";

/** How an agent is started. */
export interface Start {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How one agent is started so that its requests pass through the gateway. One file each. */
export interface Launcher {
  /** As people know it: `Claude Code`. */
  readonly name: string;
  /** What is known of its requests. Without it, they are only counted. */
  readonly profile?: Profile;
  /** What it is called on the command line, without a folder. */
  readonly commands: readonly string[];
  /** The packages that `npx` starts it from. */
  readonly packages: readonly string[];
  /** Does it work without a terminal, when started like this? Then a person can be asked on the terminal. */
  isHeadless(args: readonly string[]): boolean;
  /** How it is started so that it talks to the gateway, without touching a file of the person's. */
  launched(start: Start, addresses: Addresses, files: PersonsFiles): Start;
  /** Why requests of an agent that is started like this would not all pass the gateway. `undefined`: they do. */
  problem(start: Start, files: PersonsFiles): string | undefined;
}
