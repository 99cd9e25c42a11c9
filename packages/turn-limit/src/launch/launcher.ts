import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import type { Profile } from "../gateway/agents/profile.ts";
import type { Addresses } from "../gateway/gateway.ts";

/** How an agent is started. */
export interface Start {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How it is started so that it talks to the gateway: with these arguments, and these variables besides its own. */
export interface Launched {
  readonly args: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
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
  launched(start: Start, addresses: Addresses, files: PersonsFiles): Launched;
  /** Why requests of an agent that is started like this would not all pass the gateway. `undefined`: they do. */
  problem(start: Start, files: PersonsFiles): string | undefined;
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

/** The files of the person who starts an agent in this folder. */
export function personsFiles(folder: string): PersonsFiles {
  return {
    folder,
    home: homedir(),
    read: (path) => {
      try {
        return readFileSync(path, "utf8");
      } catch {
        return undefined;
      }
    },
    exists: existsSync,
  };
}
