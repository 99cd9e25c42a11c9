import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

const grace = 5_000;

/** Ends a process: politely, so that Pi can end its own children, and after a grace by force. */
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
