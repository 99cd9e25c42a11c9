import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Profile } from "../gateway/agents/profile.ts";
import type { Addresses } from "../gateway/gateway.ts";
import type { KnownOptions } from "./command-line.ts";

/** How an agent is started. */
export interface Start {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Variables = Readonly<Record<string, string>>;

/** How it is started so that it talks to the gateway: with these arguments, and these variables besides its own. */
export interface Launched {
  readonly args: readonly string[];
  readonly variables?: Variables;
}

/** What leads an agent's requests through the gateway. */
export interface Way {
  readonly addresses: Addresses;
  readonly files: PersonsFiles;
  /** Is the person asked in the agent's own dialog? */
  readonly asksInDialog?: boolean;
  /** Keeps a text in a file that only the person can read, for as long as the run lasts. Returns its path. */
  keep(name: string, text: string): string;
}

/** The session of an agent that its arguments name. */
export interface NamedSession {
  readonly args: readonly string[];
  readonly session: string;
}

/** How a session of an agent goes on, once the agent has ended. */
export interface Sessions {
  /** Those of its options that hold for the whole session. Texts for the model are not among them. */
  readonly options: KnownOptions;
  /** With one of these it keeps no session. */
  readonly unkept: readonly string[];
  /**
   * Of an agent whose requests do not name their session: its arguments, with a name for the session if they have none, and
   * that name. `undefined`: its session is chosen by something else.
   */
  named?(args: readonly string[]): NamedSession | undefined;
  /** The arguments with which it goes on in a session. `options`: those that hold for all of it. */
  resumed(session: string, options: readonly string[], prompt: string, isHeadless: boolean): string[];
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
  /** Does it read keys also without a screen of its own? Then nobody could type a reply, so it gets none. */
  readonly takesKeys?: boolean;
  /** The variables that lead it to the gateway. Every program gets them, because any program may start this agent. */
  variables?(env: Start["env"], way: Way): Variables;
  /** The rest, which only its own command line can say. No file of the person's is touched. */
  launched?(start: Start, way: Way): Launched;
  /** How a session of its goes on later. */
  readonly sessions?: Sessions;
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
  /** The paths of the files in a folder, in order. */
  list(folder: string): string[];
  /** Is there a file or folder? */
  exists(path: string): boolean;
  /** The file that a path leads to. `undefined`: there is none. */
  resolved(path: string): string | undefined;
}

/** The files of the person who starts an agent in this folder. */
export function personsFiles(folder: string, home: string = homedir()): PersonsFiles {
  return {
    folder,
    home,
    read: (path) => ifThere(() => readFileSync(path, "utf8")),
    list: (path) => filesIn(path),
    exists: existsSync,
    resolved: (path) => ifThere(() => realpathSync(path)),
  };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function ifThere(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The folders from the top of the project, or of the disk, down to the one in which the agent is started. */
export function foldersOfProject(files: PersonsFiles): string[] {
  const folders = [files.folder];
  for (let at = files.folder; !files.exists(join(at, ".git")) && dirname(at) !== at; at = dirname(at)) {
    folders.unshift(dirname(at));
  }
  return folders;
}

/** Why an agent is not started whose settings an organisation manages. Nothing that a person sets wins over them. */
export function managedElsewhere(setting: string): string {
  return `the settings that your organisation manages set ${setting}, and nothing here can change that`;
}
