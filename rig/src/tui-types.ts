import type { Terminal } from "./open-terminal.ts";
import type { PiOptions } from "./pi-command.ts";

/** A Pi on a terminal of the given size. */
export interface TuiOptions extends PiOptions {
  cols?: number;
  rows?: number;
  /** What to wait for on the screen first, when an extension or Pi asks something before it is ready. */
  ready?: string | RegExp;
}

/** A Pi as a person sees it. */
export type TuiPi = Terminal;
