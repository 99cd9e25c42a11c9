/**
 * Started in the place of an agent, anywhere below a run: asks the run how the agent is to be started, and starts it so.
 *
 * Arguments: `start` or `print`, the path of the run's launch service, the agent's name, the program itself (empty: the
 * next one of that name in PATH), and the agent's own arguments. `print` only prints how it is to be started.
 */
import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { constants as os } from "node:os";
import { delimiter, join } from "node:path";
import { askToLaunch, type LaunchReply } from "./launch-service.ts";
import type { Start } from "./launcher.ts";
import { isFolderOfShims } from "./private-folder.ts";

/** The process that was started as the run wanted it, so that it is not asked for a second time. */
const STARTED = "TURN_LIMIT_STARTED";

const [mode, service = "", program = "", target = "", ...args] = process.argv.slice(2);

async function launched(): Promise<LaunchReply> {
  try {
    return await askToLaunch(service, { program, args, env: process.env, folder: process.cwd() });
  } catch {
    return { problem: `${program} is not started: the run of turn-limit that it belongs to has ended` };
  }
}

/** The next program of that name in PATH that is not a shim, of this run or of one around it, which this one asks itself. */
function realProgram(): string | undefined {
  const folders = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => folder && !isFolderOfShims(folder));
  return folders.map((folder) => join(folder, program)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function fail(message: string, code: number): never {
  process.stderr.write(`turn-limit: ${message}\n`);
  process.exit(code);
}

function become(file: string, { args, env }: Start): void {
  const marked = { ...env, [STARTED]: `${process.pid}` } as Record<string, string>;
  // Node has it on most systems, from 22.15 and 23.11.
  if (process.execve) process.execve(file, [file, ...args], marked);
  const child = spawn(file, args, { stdio: "inherit", env: marked });
  for (const signal of ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => child.kill(signal));
  child.once("error", (error) => fail(`${program} could not be started: ${error.message}`, 126));
  child.once("exit", (code, signal) => process.exit(code ?? 128 + (signal ? os.signals[signal] : 0)));
}

const reply = await launched();
if (mode === "print") process.stdout.write(JSON.stringify(reply));
else if ("problem" in reply) fail(reply.problem, 1);
else {
  const file = target || realProgram();
  if (file === undefined) fail(`${program} was not found`, 127);
  become(file, reply.start);
}
