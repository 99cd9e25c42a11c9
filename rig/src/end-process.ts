import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** How long a process may take to end by itself: longer than a slow machine needs. */
export const grace = 60_000;

/** Ends a process: first with a signal that lets Pi end its own children, and some time later by force. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), grace);
  await ended;
  clearTimeout(force);
}

/** Whether a process is over. */
export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
