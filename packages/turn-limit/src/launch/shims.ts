import { accessSync, closeSync, constants, openSync, readSync } from "node:fs";
import { basename, delimiter, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { PersonsFiles, Start } from "./launcher.ts";
import { type PrivateFolder, SHIMS } from "./private-folder.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const EXTENSION = extname(import.meta.url);
const PROGRAM = join(HERE, `shim-program${EXTENSION}`);
const PRELOAD = join(HERE, `preload${EXTENSION === ".ts" ? ".cts" : ".cjs"}`);

/** How this Node starts the program of a shim. A warning of Node's would be taken for one of the agent's. */
const NODE = [process.execPath, "--no-warnings", PROGRAM] as const;

/** The variable by which programs below a run find it. */
export const LAUNCH = "TURN_LIMIT_LAUNCH";

/** The path of the launch service of the run that this process is below. `undefined`: it is below none. */
export function serviceIn(env: Start["env"]): string | undefined {
  try {
    return JSON.parse(env[LAUNCH] ?? "").service;
  } catch {
    return undefined;
  }
}

/**
 * Programs with the names of agents, which ask the run how the agent is to be started: in a folder that comes first in
 * PATH, for agents that are started by their name, and in the place of paths on the command line. Agents that are written
 * for Node are found however they are started.
 */
export class Shims {
  readonly #folder: PrivateFolder;
  readonly #service: string;
  readonly #names: readonly string[];
  readonly #programs: Readonly<Record<string, string>>;
  #paths = 0;

  /** `programs`: the names of agents, by their packages. */
  constructor(
    folder: PrivateFolder,
    service: string,
    names: readonly string[],
    programs: Readonly<Record<string, string>>,
  ) {
    this.#folder = folder;
    this.#service = service;
    this.#names = names;
    this.#programs = programs;
    for (const name of names) folder.write(join(SHIMS, name), this.#script(name, ""), true);
  }

  /** The environment in which they are found. */
  environment(env: Start["env"]): Start["env"] {
    const option = `--require=${PRELOAD}`;
    const quoted = /[\s"\\]/.test(option) ? JSON.stringify(option) : option;
    const options = env.NODE_OPTIONS ?? "";
    return {
      ...env,
      PATH: [join(this.#folder.path, SHIMS), env.PATH].filter(Boolean).join(delimiter),
      NODE_OPTIONS: options.includes(quoted) ? options : `${options} ${quoted}`.trim(),
      [LAUNCH]: JSON.stringify({ ask: NODE, service: this.#service, programs: this.#programs }),
    };
  }

  /** A command line in which the paths of agents lead to shims, also within a script for a shell. */
  withoutPaths(line: readonly string[], { folder, home }: Pick<PersonsFiles, "folder" | "home">): string[] {
    const path = new RegExp(
      `(?<=^|[\\s'"=;|&(\`])[^\\s'"=;|&()\`]*/(?:${this.#names.join("|")})(?=$|[\\s'";|&)\`])`,
      "g",
    );
    return line.map((word) =>
      word.replace(path, (found) => {
        const target = resolve(folder, found.replace(/^~(?=\/)/, home));
        return isProgramOfMachine(target) ? this.#shimOf(target) : found;
      }),
    );
  }

  #shimOf(target: string): string {
    const name = basename(target);
    this.#paths += 1;
    return this.#folder.write(join("paths", `${this.#paths}`, name), this.#script(name, target), true);
  }

  #script(name: string, target: string): string {
    const words = [...NODE, "start", this.#service, name, target].map(
      (word) => `'${word.replaceAll("'", `'\\''`)}'`,
    );
    return `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`;
  }
}

const FOR_NODE = /^#!.*\bnode\b/;

/** Is there a program that Node does not read? The others are found by what Node loads first. */
function isProgramOfMachine(path: string): boolean {
  const start = startOfProgram(path);
  return start !== undefined && !FOR_NODE.test(start);
}

/** Is there a script, for a shell or another language than Node's? */
export function isScript(path: string): boolean {
  const start = startOfProgram(path) ?? "";
  return start.startsWith("#!") && !FOR_NODE.test(start);
}

function startOfProgram(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    const file = openSync(path, "r");
    const start = Buffer.alloc(64);
    readSync(file, start, 0, start.length, 0);
    closeSync(file);
    return start.toString("latin1");
  } catch {
    return undefined;
  }
}

/** Where this program would be found. `undefined`: nowhere. */
export function programInPath(name: string, path = process.env.PATH ?? ""): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder || ".", name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return dirname(file) !== file;
      } catch {
        return false;
      }
    });
}
