import type { Store } from "../pools/ledger/store.ts";

type Keyboard = Pick<
  NodeJS.ReadStream,
  "isTTY" | "setRawMode" | "setEncoding" | "resume" | "pause" | "on" | "off"
>;
type Screen = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "rows"> & {
  write(text: string): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
};

/** The environment of a command. */
export interface Surroundings {
  stdin: Keyboard;
  stdout: Screen;
  stderr: { isTTY?: boolean; write(text: string): unknown };
  env: Readonly<Record<string, string | undefined>>;
  /** Opens the store at an address: a file, or a `redis://` address. `create`: also a file that does not exist. */
  openStore(address: string, create?: boolean): Promise<Store>;
}

/** Are colours wanted? Only on a terminal, and not by people who set `NO_COLOR`. */
export function hasColours({ stdout, env }: Pick<Surroundings, "stdout" | "env">): boolean {
  return stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}
