import type { Profile } from "../gateway/agents/profile.ts";
import type { Addresses } from "../gateway/gateway.ts";
import { launchClaudeCode } from "./claude-code.ts";
import { launchCodex } from "./codex.ts";
import { programOf } from "./command-line.ts";
import { upstreamVariables, withDirectLoopback } from "./environment.ts";
import { launchOther } from "./fallback.ts";
import type { Launcher, PersonsFiles, Start } from "./launcher.ts";
import { launchOpencode } from "./opencode.ts";
import { launchPi } from "./pi.ts";

/** The agents with a launcher of their own. */
export const LAUNCHERS: readonly Launcher[] = [launchClaudeCode, launchCodex, launchOpencode, launchPi];

/** The agents whose requests are recognised. */
export const PROFILES: readonly Profile[] = LAUNCHERS.flatMap(({ profile }) => profile ?? []);

/**
 * How the agent of a command line is started, also by `npx`, and how many words of the line come before the agent's own
 * arguments.
 */
export function launcherOf(line: readonly string[]): { launcher: Launcher; words: number } {
  const { name, words, isPackage } = programOf(line);
  const launcher = LAUNCHERS.find(
    ({ commands, packages }) => commands.includes(name) || (isPackage && packages.includes(name)),
  );
  return launcher ? { launcher, words } : { launcher: launchOther(line), words: 1 };
}

/**
 * How an agent is started so that its requests, and those of programs that it starts, pass through the gateway: they find
 * it in their environment. `routes`: further variables, and the providers that they stand for.
 */
export function launched(
  launcher: Launcher,
  start: Start,
  addresses: Addresses,
  files: PersonsFiles,
  routes: Readonly<Record<string, string>> = {},
): Start {
  const { args, variables } = launcher.launched(start, addresses, files);
  const through = (upstreams: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(upstreams).map(([name, upstream]) => [name, addresses.to(upstream)]));
  const env = { ...start.env, ...through(upstreamVariables(start.env)), ...variables, ...through(routes) };
  return { args, env: withDirectLoopback(env) };
}
