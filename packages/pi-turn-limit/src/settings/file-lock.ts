import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

/** Whoever changes a file takes milliseconds, so one who has not let go after this time is gone. */
const STALE_MS = 3_000;
const PATIENCE_MS = 10_000;
const PAUSE_MS = 5;

/**
 * Does this while no other process does it with the same file. `work` calls `assertHeld` right before its change counts: a
 * process that was asleep meanwhile has lost the lock. Throws if others do not let go.
 */
export function whileLocked<T>(
  path: string,
  work: (assertHeld: () => void) => T,
  patienceMs = PATIENCE_MS,
): T {
  const lock = `${path}.lock`;
  const mark = randomUUID();
  const isHeld = () => inPlace(() => readFileSync(lock, "utf8")) === mark;
  const until = Date.now() + patienceMs;
  while (!taken(lock, mark)) {
    if (Date.now() > until) throw new Error(`another process is changing it, as ${lock} says`);
    if (isStale(lock)) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  try {
    return work(() => {
      if (!isHeld()) throw new Error("another process has changed it meanwhile");
    });
  } finally {
    if (isHeld()) rmSync(lock, { force: true });
  }
}

function taken(lock: string, mark: string): boolean {
  try {
    writeFileSync(lock, mark, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function isStale(lock: string): boolean {
  const changed = inPlace(() => statSync(lock).mtimeMs);
  return changed !== undefined && Date.now() - changed > STALE_MS;
}

/** Nothing where the lock is gone by now. */
function inPlace<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
