import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Start } from "../../launch/launcher.ts";
import { CommandError } from "../command-error.ts";
import { isInForeground } from "./asking/terminal.ts";

/** How the agent ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last signal that was sent to it. Many agents then end with exit code 0. */
  readonly interruptedBy?: NodeJS.Signals | undefined;
}

/** Signals that a terminal sends to the agent as well, by a key. */
const BY_KEY = ["SIGINT", "SIGQUIT"] as const;
const PASSED_ON = ["SIGTERM", "SIGHUP"] as const;

/** Starts the agent in this terminal, and resolves when it has ended. Signals do not end this process earlier. */
export async function startAgent(command: string, { args, env }: Start): Promise<Ended> {
  const child = spawn(command, args, { stdio: "inherit", env });
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
        if (child.pid === undefined) reject(notStarted(command, error));
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

function notStarted(command: string, error: NodeJS.ErrnoException): CommandError {
  const named = JSON.stringify(command);
  if (error.code === "ENOENT")
    return new CommandError(`${named} was not found. Check its name, and that it is installed.`, 127);
  const why = error.code === "EACCES" ? "it is not a program that you may run" : error.message;
  return new CommandError(`${named} could not be started: ${why}.`, 126);
}
