import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

/** Is this process in the foreground of its terminal? One in the background is stopped when it reads from it. */
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

/** The same, by the contents of `/proc/…/stat` on Linux. */
export function isForeground(stat: string): boolean {
  // The name of the program comes before, in parentheses, and may have any character in it.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return group !== undefined && group === foreground;
}
