import type { Addresses } from "../gateway/routes.ts";
import { launchClaudeCode } from "./claude-code.ts";
import { launchCodex } from "./codex.ts";
import { programOf } from "./command-line.ts";
import { withGatewayAddresses } from "./environment.ts";
import { launchOther } from "./fallback.ts";
import type { PersonsFiles } from "./files.ts";
import type { Launcher, Start } from "./launcher.ts";
import { launchOpencode } from "./opencode.ts";
import { launchPi } from "./pi.ts";

/** The agents with a launcher of their own. */
export const LAUNCHERS: readonly Launcher[] = [launchClaudeCode, launchCodex, launchOpencode, launchPi];

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

/** How an agent is started so that its requests, and those of programs that it starts, pass through the gateway. */
export function launched(
  launcher: Launcher,
  { args, env }: Start,
  addresses: Addresses,
  files: PersonsFiles,
): Start {
  const start = launcher.launched({ args, env }, addresses, files);
  // Programs that the agent starts find the gateway in their environment.
  const own = Object.entries(start.env).filter(([name, value]) => value !== env[name]);
  return { args: start.args, env: { ...withGatewayAddresses(env, addresses), ...Object.fromEntries(own) } };
}
