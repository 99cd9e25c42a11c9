import { EventEmitter } from "node:events";
import { runCommand } from "../../src/command/dispatch.ts";
import type { Store } from "../../src/pools/ledger/store.ts";

/** A terminal that keeps what is written, and on which keys are pressed. */
class FakeTerminal extends EventEmitter {
  isTTY: boolean;
  columns = 80;
  rows = 24;
  text = "";
  isRaw = false;
  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }
  write(text: string): boolean {
    this.text += text;
    this.emit("written");
    return true;
  }
  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
  setEncoding(): this {
    return this;
  }
  resume(): this {
    return this;
  }
  pause(): this {
    return this;
  }
}

/** Somebody who types commands, against a store in memory. */
export function shell(store: Store, options: { isTTY?: boolean; env?: Record<string, string> } = {}) {
  const { isTTY = false, env = {} } = options;

  /** Starts a command, and returns its terminal while it runs. */
  function start(...args: string[]) {
    const stdin = new FakeTerminal(isTTY);
    const stdout = new FakeTerminal(isTTY);
    const stderr = new FakeTerminal(isTTY);
    const opened: string[] = [];
    const openStore = async (address: string) => {
      opened.push(address);
      return store;
    };
    const around = { stdin, stdout, stderr, env, openStore } as unknown as Parameters<typeof runCommand>[1];
    const code = runCommand(args, around);
    return { stdin, stdout, stderr, opened, code };
  }

  /** Runs a command to its end. */
  async function run(...args: string[]) {
    const { stdout, stderr, opened, code } = start(...args);
    return { code: await code, out: stdout.text, err: stderr.text, opened };
  }
  return { start, run };
}
