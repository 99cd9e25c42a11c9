import { readFileSync } from "node:fs";
import { messageOf } from "../core/errors/message-of.ts";
import { oneLine } from "../core/text/text-width.ts";
import { CommandError, HelpRequested, unknownWord } from "./command-error.ts";
import { gatewayCommand } from "./gateway/gateway-command.ts";
import { GATEWAY_HELP } from "./gateway/gateway-options.ts";
import { POOLS_HELP, poolsCommand } from "./pools/pools-command.ts";
import { RUN_HELP } from "./run/options.ts";
import { runAgent } from "./run/run-agent.ts";
import type { Surroundings } from "./surroundings.ts";

interface Command {
  readonly help: string;
  /** Resolves with an exit code, if it is another one than 0. */
  run(args: readonly string[], around: Surroundings): Promise<number | undefined>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  pools: { run: poolsCommand, help: POOLS_HELP },
  run: { run: runAgent, help: RUN_HELP },
  gateway: { run: gatewayCommand, help: GATEWAY_HELP },
};

const HELP = `Usage: turn-limit COMMAND

  run        start an agent, and hold it to limits
  gateway    hold the agents of many to a budget each
  pools      show the budgets that agents share, and change them

  --help     print this; turn-limit COMMAND --help says more
  --version  print the version
`;

/** Runs what was typed after `turn-limit`, and returns the exit code. */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  try {
    return (await run(args, around)) ?? 0;
  } catch (error) {
    around.stderr.write(`turn-limit: ${oneLine(messageOf(error))}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

async function run([name, ...rest]: readonly string[], around: Surroundings): Promise<number | undefined> {
  if (name === "--version") around.stdout.write(`${version()}\n`);
  else if (name === undefined || name === "--help" || name === "-h") around.stdout.write(HELP);
  else {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) throw unknownWord(name, "a command", [...Object.keys(COMMANDS), "--help", "--version"]);
    return command.run(rest, around).catch((error) => {
      if (!(error instanceof HelpRequested)) throw error;
      around.stdout.write(command.help);
      return undefined;
    });
  }
  return undefined;
}

function version(): string {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}
