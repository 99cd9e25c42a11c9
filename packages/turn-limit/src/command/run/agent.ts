import { basename, isAbsolute, relative } from "node:path";
import type { Profile } from "../../gateway/agents/profile.ts";
import type { Addresses } from "../../gateway/gateway.ts";
import { LAUNCHERS, launched, launcherOf, PROFILES } from "../../launch/launch.ts";
import type { Launcher, PersonsFiles, Start } from "../../launch/launcher.ts";
import { cannotBeDone, unknownWord, wrongInput } from "../command-error.ts";
import type { RunOptions } from "./options.ts";

/** For `--profile`: whatever the command is called, it is held by requests only. */
const NONE = "none";

/**
 * Which agent a command line starts, and how many words of the line come before the agent's own arguments. `named`: the
 * profile that the person named. An agent without a profile, too, is started so that it comes through the gateway.
 */
export function chosenAgent(
  line: readonly string[],
  named: string | undefined,
): { profile: Profile | undefined; launcher: Launcher; words: number } {
  const known = launcherOf(line);
  if (named === undefined || named === NONE)
    return { profile: named === NONE ? undefined : known.launcher.profile, ...known };
  const launcher = LAUNCHERS.find(({ profile }) => profile?.id === named);
  if (!launcher) throw unknownWord(named, "a profile", [...PROFILES.map(({ id }) => id), NONE]);
  const words = known.launcher === launcher ? known.words : wordsBeforeArguments(line);
  return { profile: launcher.profile, launcher, words };
}

const INTERPRETERS = /^(?:node|bun|deno)(?:\.exe)?$/;

// The script of an interpreter is not an argument of the agent's.
function wordsBeforeArguments([command = "", ...rest]: readonly string[]): number {
  const script = INTERPRETERS.test(basename(command)) ? rest.findIndex((word) => !word.startsWith("-")) : -1;
  return script < 0 ? 1 : script + 2;
}

type Env = Start["env"];

/** How the agent is started, so that it talks to the gateway. */
export function startOf(options: RunOptions, env: Env, addresses: Addresses, files: PersonsFiles): Start {
  const { launcher, runnerArgs, args, routes } = options;
  const start = launched(launcher, { args, env }, addresses, files, routes);
  return { ...start, args: [...runnerArgs, ...start.args] };
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
