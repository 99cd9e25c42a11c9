import { basename, isAbsolute, relative } from "node:path";
import type { Profile } from "../../gateway/agents/profile.ts";
import { agentIn, otherProgram } from "../../launch/agent-in-line.ts";
import { LAUNCHERS, PROFILES } from "../../launch/launch.ts";
import type { Launcher, PersonsFiles, Start } from "../../launch/launcher.ts";
import type { Launch } from "../../launch/open-launch.ts";
import { cannotBeDone, unknownWord, wrongInput } from "../command-error.ts";
import type { RunOptions } from "./options.ts";
import type { StartedLine } from "./start-agent.ts";

/** For `--profile`: whatever the command is called, it is held by requests only. */
const NONE = "none";

/** The agent of a command line. */
interface ChosenAgent {
  readonly profile: Profile | undefined;
  readonly launcher: Launcher;
  /** The agent's own arguments. */
  readonly args: readonly string[];
  /** Does the command line name it? Then it is found when it is started. Else its arguments are the last of the line. */
  readonly isNamed: boolean;
}

/** Which agent a command line starts. `named`: the profile that the person named. */
export function chosenAgent(
  line: readonly string[],
  named: string | undefined,
  files: PersonsFiles,
): ChosenAgent {
  const found = agentIn(line, files);
  const known = found
    ? { ...found, isNamed: true }
    : { launcher: otherProgram(line), args: line.slice(wordsBeforeArguments(line)), isNamed: true };
  if (named === undefined || named === NONE)
    return { ...known, profile: named === NONE ? undefined : known.launcher.profile };
  const launcher = LAUNCHERS.find(({ profile }) => profile?.id === named);
  if (!launcher) throw unknownWord(named, "a profile", [...PROFILES.map(({ id }) => id), NONE]);
  const { profile } = launcher;
  if (found?.launcher === launcher) return { ...known, profile };
  return { profile, launcher, args: line.slice(wordsBeforeArguments(line)), isNamed: false };
}

const INTERPRETERS = /^(?:node|bun|deno)(?:\.exe)?$/;

// The script of an interpreter is not an argument of the agent's.
function wordsBeforeArguments([command = "", ...rest]: readonly string[]): number {
  const script = INTERPRETERS.test(basename(command)) ? rest.findIndex((word) => !word.startsWith("-")) : -1;
  return script < 0 ? 1 : script + 2;
}

type Env = Start["env"];

/** The command line with which the agent is started so that it talks to the gateway, and its environment. */
export async function startOf(
  { line, launcher, args, isNamed }: Pick<RunOptions, "line" | "launcher" | "args" | "isNamed">,
  launch: Launch,
): Promise<StartedLine> {
  if (isNamed) return { line: launch.lineOf(line), env: launch.env };
  const start = await launch.startOf(launcher, args);
  return { line: [...line.slice(0, line.length - args.length), ...start.args], env: start.env };
}

/** Checks that the agent's requests would come through the gateway, if it is started like this. */
export function requireWayThroughGateway(options: RunOptions, env: Env, files: PersonsFiles): void {
  const { launcher, args, routes } = options;
  // A person who names a variable knows where the program looks for its address.
  const mayBeRouted = !launcher.profile && Object.keys(routes).length > 0;
  const problem = launcher.problem({ args, env }, files);
  if (problem !== undefined && !mayBeRouted)
    throw cannotBeDone(`${launcher.name} cannot be held to limits here: ${problem}.`);
}

/** What the run is called in its pools: `Claude Code in ~/site`. */
export function runName(
  { launcher }: Pick<RunOptions, "launcher">,
  { home, folder }: Pick<PersonsFiles, "home" | "folder">,
): string {
  const inHome = relative(home, folder);
  const isElsewhere = inHome.startsWith("..") || isAbsolute(inHome);
  return `${launcher.name} in ${isElsewhere ? folder : inHome === "" ? "~" : `~/${inHome}`}`;
}

/** Checks that nothing was asked for that only an agent with a profile can do. */
export function requireProfileFor(
  command: string,
  options: Readonly<Record<string, string | string[] | true | undefined>>,
): void {
  const given = Object.entries(options).find(([name, value]) => {
    const values = NEEDS_PROFILE[name];
    return values === "any" || values?.includes(value as string);
  });
  if (!given) return;
  const [name, value] = given;
  const typed = `--${name}${name === "ask" ? "" : ` ${value}`}`;
  const agents = PROFILES.map(({ name }) => name).join(", ");
  const instead = name === "max-turns" ? "use --max-requests, or " : "";
  throw wrongInput(
    `${typed} works for agents with a profile: ${agents}. For ${JSON.stringify(command)} ${instead}` +
      `say which of them it is: --profile ${PROFILES.map(({ id }) => id).join(", ")}.`,
  );
}

/** The options that only work with a profile, with any value or with some. */
const NEEDS_PROFILE: Readonly<Record<string, "any" | readonly string[]>> = {
  "max-turns": "any",
  "wrap-up": "any",
  ask: "any",
  hold: "any",
  "at-limit": ["ask", "answer"],
  nobody: ["answer"],
};
