import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Start } from "../../launch/launcher.ts";
import { programInPath } from "../../launch/shims.ts";
import { CommandError } from "../command-error.ts";
import { isInForeground } from "./asking/terminal.ts";

/** How the agent ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last signal that was sent to it. Many agents then end with exit code 0. */
  readonly interruptedBy?: NodeJS.Signals | undefined;
}

/** A command line, and its environment. */
export interface StartedLine {
  readonly line: readonly string[];
  readonly env: Start["env"];
}

/** Signals that a terminal sends to the agent as well, by a key. */
const BY_KEY = ["SIGINT", "SIGQUIT"] as const;
const PASSED_ON = ["SIGTERM", "SIGHUP"] as const;

/**
 * Starts the agent in this terminal and in this folder, and resolves when it has ended. Signals do not end this process
 * earlier. `hasInput`: does it get what is typed?
 */
export async function startAgent(
  { line, env }: StartedLine,
  folder: string,
  hasInput = true,
): Promise<Ended> {
  const [command = "", ...args] = line;
  const input = hasInput ? "inherit" : "ignore";
  const child = spawn(command, args, { stdio: [input, "inherit", "inherit"], env, cwd: folder });
  let interruptedBy: NodeJS.Signals | undefined;
  const passOn = (signal: NodeJS.Signals) => {
    interruptedBy = signal;
    child.kill(signal);
  };
  const byKey = (signal: NodeJS.Signals) => {
    interruptedBy = signal;
    // The terminal sends the signal of a key to the agent as well. Many agents treat a second one differently.
    void isInForeground().then((isOnTerminal) => isOnTerminal || child.kill(signal));
  };
  for (const signal of BY_KEY) process.on(signal, byKey);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    return await new Promise<Ended>((resolve, reject) => {
      child.once("exit", (code, signal) => resolve({ code, signal, interruptedBy }));
      child.once("error", (error: NodeJS.ErrnoException) => {
        // Other errors are those of a signal that could not be sent.
        if (child.pid === undefined) reject(notStarted(command, error.code, error.message));
      });
    });
  } finally {
    for (const signal of BY_KEY) process.off(signal, byKey);
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
}

/** The exit code, as a shell tells it: 128 and its number for a signal. */
export function exitCodeOf({ code, signal }: Ended): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/** Checks that the command can be found: a program of ours would be found in its place. */
export function requireProgram([command = ""]: StartedLine["line"], { PATH }: Start["env"]): void {
  if (!/[\\/]/.test(command) && process.platform !== "win32" && programInPath(command, PATH) === undefined)
    throw notStarted(command, "ENOENT");
}

function notStarted(command: string, code: string | undefined, message = ""): CommandError {
  const named = JSON.stringify(command);
  if (code === "ENOENT")
    return new CommandError(`${named} was not found. Check its name, and that it is installed.`, 127);
  const why = code === "EACCES" ? "it is not a program that you may run" : message;
  return new CommandError(`${named} could not be started: ${why}.`, 126);
}
