import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

/** Do the keys of a terminal go to this process? Whoever reads a terminal in the background is stopped. */
export async function isInForeground(): Promise<boolean> {
  try {
    return isForeground(await readFile("/proc/self/stat", "utf8"));
  } catch {
    return new Promise((resolve) => {
      execFile("ps", ["-o", "stat=", "-p", String(process.pid)], (error, state) =>
        resolve(!error && state.includes("+")),
      );
    });
  }
}

/** The same, by what Linux says of a process. */
export function isForeground(stat: string): boolean {
  // The name of the program comes before, in parentheses, and may have any character in it.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group !== undefined && group === foreground;
}
