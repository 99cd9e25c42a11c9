import { basename, isAbsolute, relative } from "node:path";
import type { Profile } from "../../gateway/agents/profile.ts";
import { agentIn, otherProgram } from "../../launch/agent-in-line.ts";
import { LAUNCHERS, PROFILES } from "../../launch/launch.ts";
import type { Launcher, PersonsFiles, Start } from "../../launch/launcher.ts";
import type { Launch } from "../../launch/open-launch.ts";
import { isScript, programInPath } from "../../launch/shims.ts";
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

/** Programs that start others, of which one may be the agent. Their arguments are not the agent's. */
const STARTERS = /^(?:[a-z]*sh|python[\d.]*|ruby|perl|php|make|npm|npx|pnpm|yarn|bunx|uvx?)(?:\.exe)?$/;

/** Does a command take no argument of the agent's, but starts it by its own script? */
function startsAgent([command = ""]: readonly string[], { PATH }: Env): boolean {
  const program = /[\\/]/.test(command) ? command : programInPath(command, PATH);
  return STARTERS.test(basename(command)) || (program !== undefined && isScript(program));
}

type Env = Start["env"];

/** The command line with which the agent is started so that it talks to the gateway, and its environment. */
export async function startOf(
  { line, launcher, args, isNamed }: Pick<RunOptions, "line" | "launcher" | "args" | "isNamed">,
  launch: Launch,
): Promise<StartedLine> {
  // An agent that is started by its name, however late, is led here then.
  if (isNamed || startsAgent(line, launch.env)) return { line: launch.lineOf(line), env: launch.env };
  const start = await launch.startOf(launcher, args);
  return { line: [...line.slice(0, line.length - args.length), ...start.args], env: start.env };
}

/** Checks that the agent's requests would come through the gateway, if it is started like this. */
export function requireWayThroughGateway(options: RunOptions, env: Env, files: PersonsFiles): void {
  const { launcher, args, routes } = options;
  // A person who names a variable knows where a program looks for its address that looks nowhere else.
  const mayBeRouted = !launcher.launched && Object.keys(routes).length > 0;
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

/** Checks that a run of this agent can go on later. `what`: what was typed for that; `atLimit`: what is done at a limit. */
export function requireParkable(
  { launcher, args }: Pick<ChosenAgent, "launcher" | "args">,
  what: string,
  atLimit = "ask",
): void {
  if (atLimit !== "ask")
    throw wrongInput(`${what} is for questions, and --at-limit ${atLimit} asks none. Use --at-limit ask.`);
  const { name, sessions } = launcher;
  const unkept = sessions && args.find((arg) => sessions.unkept.includes(arg));
  if (unkept !== undefined)
    throw wrongInput(`${what} needs a session of ${name} to go on in, and ${unkept} keeps none.`);
  if (!sessions) throw wrongInput(`${what} does not work for ${name}: its sessions are not known.`);
}

/**
 * The command line of a run that may go on later in the session of its agent, and that session, where no request names it: then
 * the command line does.
 */
export function inSession(
  { launcher, args }: Pick<ChosenAgent, "launcher" | "args">,
  line: readonly string[],
  what: string,
): { readonly line: readonly string[]; readonly args: readonly string[]; readonly session?: string } {
  const { name, commands, sessions } = launcher;
  if (!sessions?.named) return { line, args };
  const before = line.slice(0, line.length - args.length);
  if (args.some((arg, at) => arg !== line[before.length + at]))
    throw wrongInput(
      `${what} gives the session of ${name} a name on the command line, and this one starts it by another program. ` +
        `Start ${commands[0]} itself.`,
    );
  const named = sessions.named(args);
  if (!named)
    throw wrongInput(
      `${what} needs the name of the session of ${name}, which this command line does not say. Use --resume with its UUID.`,
    );
  return { ...named, line: [...before, ...named.args] };
}

/** The options that only work with a profile, with any value or with some. */
const NEEDS_PROFILE: Readonly<Record<string, "any" | readonly string[]>> = {
  "max-turns": "any",
  "max-repeats": "any",
  "wrap-up": "any",
  "final-tool": "any",
  ask: "any",
  hold: "any",
  "at-limit": ["ask", "answer"],
  unanswered: ["answer", "park"],
};

/** Is the person asked in the agent's own dialog? Not if a command is asked instead, or the agent has no screen. */
export function asksInDialog(
  { ask, "no-dialog": isOff }: { readonly ask?: string | undefined; readonly "no-dialog"?: true | undefined },
  { profile, launcher, args }: ChosenAgent,
): boolean {
  return profile?.dialog !== undefined && ask === undefined && !isOff && !launcher.isHeadless(args);
}
