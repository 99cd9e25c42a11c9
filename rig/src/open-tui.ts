import { basename } from "node:path";
import { openTerminal } from "./open-terminal.ts";
import { piCommand } from "./pi-command.ts";
import type { TuiOptions, TuiPi } from "./tui-types.ts";

/**
 * Starts Pi's interactive mode on a tmux terminal of its own.
 *
 * @example
 * await using pi = await openTui({ host, sandbox });
 * await pi.submit("Go on.");
 * await pi.waitFor("All done.");
 */
export function openTui(options: TuiOptions): Promise<TuiPi> {
  const { cols, rows, ready, sandbox } = options;
  const { file, args, cwd, env } = piCommand(options);
  // Pi draws its editor before it takes input; its title comes once the extensions have started.
  const titled = async (pi: TuiPi) => (await pi.title()).endsWith(` - ${basename(cwd)}`);
  return openTerminal({
    folder: sandbox.root,
    command: [file, ...args],
    cwd,
    env,
    ready: ready ?? titled,
    ...(cols === undefined ? {} : { cols }),
    ...(rows === undefined ? {} : { rows }),
  });
}
