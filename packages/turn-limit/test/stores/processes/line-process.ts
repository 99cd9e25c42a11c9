import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** A process that is talked to in lines. */
export interface LineProcess {
  child: ChildProcessByStdio<Writable, Readable, null>;
  /** The next line that it says. Rejects if it ends without one. */
  line(): Promise<string>;
  /** Lets it go on. */
  goOn(): void;
}

/** Starts a script in a process of its own, or another program that starts it. */
export function start(program: string, args: readonly string[]): LineProcess {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    child,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${args[0]} ended with ${child.exitCode ?? (await once(child, "exit"))[0]}`);
      return value;
    },
    goOn() {
      child.stdin.write("\n");
    },
  };
}
