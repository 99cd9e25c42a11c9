import { basename, isAbsolute, relative } from "node:path";
import type { PersonsFiles } from "../../gateway/profiles/profile.ts";
import type { RunOptions } from "./options.ts";

/** What people know the agent as: `Claude Code`, or the name of its command. */
export function agentName({ pointing, command }: Pick<RunOptions, "pointing" | "command">): string {
  return pointing?.name ?? basename(command);
}

/** What the run is called in its pools: `Claude Code in ~/site`. */
export function runName(
  options: Pick<RunOptions, "pointing" | "command">,
  { home, folder }: Pick<PersonsFiles, "home" | "folder">,
): string {
  const inHome = relative(home, folder);
  const isElsewhere = inHome.startsWith("..") || isAbsolute(inHome);
  return `${agentName(options)} in ${isElsewhere ? folder : inHome === "" ? "~" : `~/${inHome}`}`;
}
