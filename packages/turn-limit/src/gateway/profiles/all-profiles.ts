import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { programOf } from "./command-line.ts";
import { opencode } from "./opencode.ts";
import type { Profile } from "./profile.ts";

/** The agents that are known by their requests. */
export const PROFILES: readonly Profile[] = [claudeCode, codex, opencode];

/**
 * The agent that a command line starts, also by `npx`, and how many words of the line come before the agent's own
 * arguments. `undefined`: none that is known.
 */
export function agentOf(line: readonly string[]): { profile: Profile; words: number } | undefined {
  const { name, words, isPackage } = programOf(line);
  const profile = PROFILES.find(
    ({ commands, packages }) => commands.includes(name) || (isPackage && packages.includes(name)),
  );
  return profile && { profile, words };
}
