import { readFileSync } from "node:fs";
import { oneLine } from "../text/text-width.ts";
import { CommandError, unknownWord } from "./command-error.ts";
import { poolsCommand } from "./pools/pools-command.ts";
import type { Surroundings } from "./surroundings.ts";

const COMMANDS: Readonly<Record<string, (args: readonly string[], around: Surroundings) => Promise<void>>> = {
  pools: poolsCommand,
};

const HELP = `Usage: turn-limit COMMAND

  pools      show the budgets that agents share, and change them

  --help     print this; turn-limit COMMAND --help says more
  --version  print the version
`;

/** Runs what was typed after `turn-limit`, and returns the exit code. */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  try {
    await run(args, around);
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    around.stderr.write(`turn-limit: ${oneLine(message)}\n`);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

async function run([name, ...rest]: readonly string[], around: Surroundings): Promise<void> {
  if (name === "--version") around.stdout.write(`${version()}\n`);
  else if (name === undefined || name === "--help" || name === "-h") around.stdout.write(HELP);
  else {
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!command) throw unknownWord(name, "a command", [...Object.keys(COMMANDS), "--help", "--version"]);
    await command(rest, around);
  }
}

function version(): string {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}
