import { openSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { ReadStream, WriteStream } from "node:tty";
import { isInForeground } from "../foreground.ts";

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
