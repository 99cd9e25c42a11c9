import { execFile } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { ReadStream, WriteStream } from "node:tty";
import { untilAborted } from "../../../run/until-aborted.ts";

/** A terminal on which a person types lines. */
export interface Terminal {
  readonly columns: number;
  write(text: string): void;
  /** The next line. `undefined`: there will be none, or the signal was aborted. */
  line(signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

const DEVICE = "/dev/tty";
/** For how many milliseconds input is discarded: what was typed before the question is not a reply to it. */
const TYPED_BEFORE = 100;

/** Opens the terminal of this process, whatever its standard input is. `undefined`: there is none that it may read. */
export async function openTerminal(): Promise<Terminal | undefined> {
  if (!(await isInForeground())) return undefined;
  let input: ReadStream;
  let output: WriteStream;
  try {
    input = new ReadStream(openSync(DEVICE, "r"));
    output = new WriteStream(openSync(DEVICE, "w"));
  } catch {
    return undefined;
  }
  for (const stream of [input, output]) stream.on("error", () => input.destroy());
  input.resume();
  await pause(TYPED_BEFORE);
  const reader = createInterface({ input });
  const lines = reader[Symbol.asyncIterator]();
  input.on("close", () => reader.close());
  if (input.readableEnded || input.destroyed) reader.close();

  return {
    columns: output.columns || 80,
    write: (text) => void output.write(text),
    line: async (signal) => {
      const next = lines.next().then(({ value, done }) => (done ? undefined : value));
      return untilAborted(signal, next, () => undefined);
    },
    close: () => {
      input.destroy();
      output.destroy();
    },
  };
}

/** Was this process started on a terminal, whatever its standard input and output are? */
export function hasTerminal(): boolean {
  if (process.stderr.isTTY) return true;
  try {
    closeSync(openSync(DEVICE, "r"));
    return true;
  } catch {
    return false;
  }
}

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
