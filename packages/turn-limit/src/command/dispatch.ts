import { readFileSync } from "node:fs";
import { messageOf } from "../core/errors/message-of.ts";
import { oneLine } from "../core/text/text-width.ts";
import { CommandError, HelpRequested, unknownWord } from "./command-error.ts";
import type { Surroundings } from "./surroundings.ts";

interface Command {
  readonly help: string;
  /** Resolves with an exit code, if it is another one than 0. */
  run(args: readonly string[], around: Surroundings): Promise<number | undefined>;
}

// Each loads only what it needs. In the order of the help.
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => {
    const [{ runCommand }, { RUN_HELP }] = await Promise.all([
      import("./run/run-command.ts"),
      import("./run/help.ts"),
    ]);
    return { run: runCommand, help: RUN_HELP };
  },
  parked: async () => {
    const { parkedCommand, PARKED_HELP } = await import("./parked/parked-command.ts");
    return { run: parkedCommand, help: PARKED_HELP };
  },
  resume: async () => {
    const { resumeCommand, RESUME_HELP } = await import("./parked/resume-command.ts");
    return { run: resumeCommand, help: RESUME_HELP };
  },
  gateway: async () => {
    const [{ gatewayCommand }, { GATEWAY_HELP }] = await Promise.all([
      import("./gateway/gateway-command.ts"),
      import("./gateway/gateway-options.ts"),
    ]);
    return { run: gatewayCommand, help: GATEWAY_HELP };
  },
  pools: async () => {
    const { poolsCommand, POOLS_HELP } = await import("./pools/pools-command.ts");
    return { run: poolsCommand, help: POOLS_HELP };
  },
  grants: async () => {
    const { grantsCommand, GRANTS_HELP } = await import("./grants/grants-command.ts");
    return { run: grantsCommand, help: GRANTS_HELP };
  },
  dashboard: async () => {
    const { dashboardCommand, DASHBOARD_HELP } = await import("./dashboard/dashboard-command.ts");
    return { run: dashboardCommand, help: DASHBOARD_HELP };
  },
  devices: async () => {
    const { devicesCommand, DEVICES_HELP } = await import("./dashboard/devices-command.ts");
    return { run: devicesCommand, help: DEVICES_HELP };
  },
};

const HELP = `Usage: turn-limit COMMAND

  run        start an agent, and hold it to limits
  parked     list the runs that wait for an answer that nobody gave in time
  resume     go on with one of them
  gateway    hold the agents of many to a budget each
  pools      show the budgets that agents share, and the runs; change them
  grants     show what was granted, when, where and to whom
  dashboard  show them on a page, and answer questions there
  devices    list the browsers that may use that page

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
    const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!load) throw unknownWord(name, "a command", [...Object.keys(COMMANDS), "--help", "--version"]);
    const command = await load();
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
