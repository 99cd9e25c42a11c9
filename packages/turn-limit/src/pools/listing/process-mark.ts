import { readFileSync, readlinkSync } from "node:fs";
import type { ProcessMark } from "../ledger/resumption.ts";

/** This process, as others on this machine recognise it. */
export function ownProcess(): ProcessMark {
  const { pid } = process;
  const space = ownSpace();
  const started = startOf(pid);
  return { pid, ...(space !== undefined && { space }), ...(started !== undefined && { started }) };
}

/** Does a process of this machine still run? `undefined`: that cannot be known for certain. */
export function isRunning({ pid, space, started }: ProcessMark): boolean | undefined {
  // Another container may have this name and this file, and numbers of its own. So may the machine after a restart.
  if (space !== ownSpace()) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return started === undefined ? undefined : started === startOf(pid);
}

// Only Linux says it.
function ownSpace(): string | undefined {
  return attempt(() => {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  });
}

function startOf(pid: number): string | undefined {
  // The name of the program, in brackets, may contain anything. One that has ended, and whose parent has not asked, stays as a Z.
  return attempt(() => /.*\) [^ZX] (?:\S+ ){18}(\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
}

function attempt(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
