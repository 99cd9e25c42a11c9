import { execFile } from "node:child_process";
import { openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { ReadStream, WriteStream } from "node:tty";

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
  let typed = "";
  let isOver = false;
  let changed = () => {};
  input.setEncoding("utf8");
  input.on("data", (text: string) => {
    typed += text;
    changed();
  });
  const over = () => {
    isOver = true;
    changed();
  };
  for (const event of ["end", "close", "error"]) input.on(event, over);
  output.on("error", over);
  await pause(TYPED_BEFORE);
  typed = "";

  return {
    columns: output.columns || 80,
    write: (text) => void output.write(text),
    line: (signal) =>
      new Promise((resolve) => {
        const look = () => {
          const end = typed.indexOf("\n");
          if (end < 0 && !isOver && !signal.aborted) return;
          changed = () => {};
          signal.removeEventListener("abort", look);
          if (signal.aborted || end < 0) return resolve(undefined);
          const line = typed.slice(0, end);
          typed = typed.slice(end + 1);
          resolve(line);
        };
        changed = look;
        signal.addEventListener("abort", look);
        look();
      }),
    close: () => {
      input.destroy();
      output.destroy();
    },
  };
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
