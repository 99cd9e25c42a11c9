import { spawn } from "node:child_process";
import type { ProgressWatch } from "../run/progress.ts";

/** So much of what a command prints is kept: the number is at its end. */
const LONGEST_OUTPUT = 64 * 2 ** 10;

/** For how many milliseconds the output of a command is read that has ended. */
const AFTER_ITS_END = 50;

/** What {@link progressByCommand} can be given besides the command. */
export interface ProgressByCommandOptions {
  /** Where it runs. Default: the working directory. */
  readonly folder?: string | undefined;
  /** Its environment. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Progress is what a command of the shell says: if the last line that it prints is a number, that it rises above any before
 * it in the run; else that it ends with exit code 0. It also runs before the first turn, for a number to compare with.
 *
 * @example
 * limitLoop({ turns: { max: 25, extend: 3 }, progress: progressByCommand("npm test") });
 */
export function progressByCommand(
  command: string,
  { folder = process.cwd(), env = process.env }: ProgressByCommandOptions = {},
): ProgressWatch {
  let of: { run: string; highest: number | undefined } | undefined;
  const run = (signal: AbortSignal) => ran(command, folder, env, signal);
  return {
    async turnComes({ id }, signal) {
      if (of?.run === id) return;
      of = { run: id, highest: undefined };
      const known = of;
      const { output, code } = await run(signal);
      known.highest = numberIn(output);
      if (known.highest === undefined) requireRun(command, code);
    },
    async find({ id }, _boundary, signal) {
      const { output, code } = await run(signal);
      const number = numberIn(output);
      if (number === undefined) {
        requireRun(command, code);
        return code === 0 && `${command} succeeded`;
      }
      const before = of?.run === id ? of.highest : undefined;
      of = { run: id, highest: Math.max(number, before ?? number) };
      return before !== undefined && number > before && `${number}, up from ${before}`;
    },
  };
}

// The exit codes of a shell that does not find a command, or must not run it: nothing was found out.
function requireRun(command: string, code: number | null): void {
  if (code === 126 || code === 127)
    throw new Error(`"${command}" ended with exit code ${code}: a command in it cannot be run`);
}

function numberIn(output: string): number | undefined {
  const last = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(last) ? Number(last) : undefined;
}

function ran(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<{ output: string; code: number | null }> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const isPosix = process.platform !== "win32";
    // A group of its own, so that what it started ends with it.
    const child = spawn(command, {
      ...{ cwd, env: { ...env }, shell: true, detached: isPosix, windowsHide: true },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const end = () => {
      try {
        if (isPosix && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
        else child.kill("SIGKILL");
      } catch {
        // It has ended by itself.
      }
    };
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-LONGEST_OUTPUT);
    });
    signal.addEventListener("abort", end, { once: true });
    child.on("error", reject);
    child.on("close", (code) => done(code));
    // What it left running in the background may keep its output open.
    child.on("exit", (code) => setTimeout(() => done(code), AFTER_ITS_END));
    function done(code: number | null) {
      signal.removeEventListener("abort", end);
      child.stdout.destroy();
      if (signal.aborted) reject(signal.reason);
      else resolve({ output, code });
    }
  });
}
