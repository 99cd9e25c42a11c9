import { basename } from "node:path";
import { agentOf, PROFILES } from "../../gateway/profiles/all-profiles.ts";
import type { Profile } from "../../gateway/profiles/profile.ts";
import { unknownWord, wrongInput } from "../command-error.ts";

/** For `--profile`: whatever the command is called, it is held by requests only. */
const NONE = "none";

/** The agent that a command line starts. */
export interface ChosenAgent {
  /** Its profile, by its command or as it was named, if it is to be used. */
  readonly profile: Profile | undefined;
  /** How it is pointed at a gateway. A program that is held by requests only has to be, too. */
  readonly pointing: Pick<Profile, "name" | "pointed" | "problem"> | undefined;
  /** How many words of the line come before the agent's own arguments. */
  readonly words: number;
}

/** Which agent a command line starts. `named`: the profile that the person named. */
export function chosenAgent(line: readonly string[], named: string | undefined): ChosenAgent {
  const known = agentOf(line);
  const { profile: pointing, words } = known ?? { profile: undefined, words: 1 };
  if (named === undefined || named === NONE)
    return { profile: named === NONE ? undefined : pointing, pointing, words };
  const profile = PROFILES.find(({ id }) => id === named);
  if (!profile) throw unknownWord(named, "a profile", [...PROFILES.map(({ id }) => id), NONE]);
  return { profile, pointing: profile, words: pointing === profile ? words : wordsBeforeArguments(line) };
}

const INTERPRETERS = /^(?:node|bun|deno)(?:\.exe)?$/;

// The script of an interpreter is not an argument of the agent's.
function wordsBeforeArguments([command = "", ...rest]: readonly string[]): number {
  const script = INTERPRETERS.test(basename(command)) ? rest.findIndex((word) => !word.startsWith("-")) : -1;
  return script < 0 ? 1 : script + 2;
}

/** Checks that nothing was asked for that only an agent with a profile can do. */
export function requireProfileFor(
  command: string,
  options: Readonly<Record<string, string | string[] | true | undefined>>,
): void {
  const given = Object.entries(options).find(([name, value]) =>
    NEEDS_PROFILE.some((need) => need.name === name && (need.value?.includes(value as string) ?? true)),
  );
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

const NEEDS_PROFILE: readonly { name: string; value?: readonly string[] }[] = [
  { name: "max-turns" },
  { name: "wrap-up" },
  { name: "ask" },
  { name: "hold" },
  { name: "at-limit", value: ["ask", "answer"] },
  { name: "nobody", value: ["answer"] },
];
