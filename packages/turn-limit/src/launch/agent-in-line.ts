import { basename, dirname, join, resolve } from "node:path";
import { textIn } from "../gateway/protocols/parts-of-json.ts";
import { programName } from "./command-line.ts";
import { LAUNCHERS } from "./launch.ts";
import type { Launcher, PersonsFiles } from "./launcher.ts";
import { settingsIn } from "./settings-files.ts";

/** An agent that a command line names, and the arguments after its name. */
interface NamedAgent {
  readonly launcher: Launcher;
  readonly args: readonly string[];
}

/**
 * The agent that a command line starts: the first one that is named in it, by its name, its path, its package or its script,
 * also in a script for a shell. `undefined`: none is.
 */
export function agentIn(line: readonly string[], files: PersonsFiles): NamedAgent | undefined {
  for (const [at, word] of line.entries()) {
    const words = isScript(line[at - 1], word) ? word.split(BETWEEN_WORDS) : [word];
    for (const [inside, name] of words.entries()) {
      const launcher = launcherNamed(name) ?? launcherOfScript(name, files);
      if (launcher) return { launcher, args: [...words.slice(inside + 1), ...line.slice(at + 1)] };
    }
  }
  return undefined;
}

const BETWEEN_WORDS = /[\s'"`;|&()]+/;

/** Is a word a script for the shell before it: `bash -c 'codex exec'`? */
function isScript(option: string | undefined, word: string): boolean {
  return /\s/.test(word) && /^-[a-z]*c$/.test(option ?? "");
}

/** The agent with this name, or from this package: `codex`, `/usr/bin/codex`, `@openai/codex@latest`. */
export function launcherNamed(word: string): Launcher | undefined {
  const name = programName(word);
  const packageName = word.replace(/(?<=.)@.*$/, "");
  return LAUNCHERS.find(
    ({ commands, packages }) => commands.includes(name) || packages.includes(packageName),
  );
}

// The package that a script belongs to says which agent it is, whatever it is called.
function launcherOfScript(word: string, files: PersonsFiles): Launcher | undefined {
  if (!/[\\/]/.test(word) || word.startsWith("-")) return undefined;
  const script = files.resolved(resolve(files.folder, word));
  for (let at = script; at !== undefined && dirname(at) !== at; at = dirname(at)) {
    const name = textIn(settingsIn(files.read(join(dirname(at), "package.json"))).name);
    if (name !== undefined) return LAUNCHERS.find(({ packages }) => packages.includes(name));
  }
  return undefined;
}

/** Any other program, by its command line. It finds the gateway in its environment. */
export function otherProgram([command = ""]: readonly string[]): Launcher {
  return {
    name: basename(command),
    commands: [],
    packages: [],
    isHeadless: () => false,
    problem: () => undefined,
  };
}
