import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";

/** Can a program and all that it starts be ended together? */
export const HAS_GROUPS = process.platform !== "win32";

/** For how many milliseconds programs may take care of their end. */
const GRACE = 500;
const BETWEEN_LOOKS = 20;

/** Ends a program that leads a group, and the group with it. Who does not obey is killed. */
export async function endGroup(leader: ChildProcess): Promise<void> {
  const killAt = performance.now() + GRACE;
  let isThere = send(leader, "SIGTERM");
  while (isThere && performance.now() < killAt) {
    await pause(BETWEEN_LOOKS);
    isThere = send(leader, 0);
  }
  if (isThere) send(leader, "SIGKILL");
}

/** `false`: nobody is there any more. */
function send(leader: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (leader.pid === undefined) return false;
  if (!HAS_GROUPS) return leader.exitCode === null && leader.kill(signal);
  try {
    return process.kill(-leader.pid, signal);
  } catch {
    return false;
  }
}
