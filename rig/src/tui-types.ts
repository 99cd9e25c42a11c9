import type { PiOptions } from "./pi-command.ts";

/** A Pi on a terminal of the given size. */
export interface TuiOptions extends PiOptions {
  cols?: number;
  rows?: number;
  /** What to wait for on the screen first, when an extension or Pi asks something before it is ready. */
  ready?: string | RegExp;
}

/** A Pi as a person sees it. */
export interface TuiPi extends AsyncDisposable {
  /** What is on the screen, as text. */
  screen(): Promise<string>;
  /** What is on the screen, with its escape sequences for colours. */
  screenWithColours(): Promise<string>;
  /** Types text as it is. */
  type(text: string): Promise<void>;
  /** Presses keys by their tmux names: `press("Down", "Enter")`, `press("Escape")`, `press("C-c")`. */
  press(...keys: string[]): Promise<void>;
  /** Types a prompt and sends it. */
  submit(text: string): Promise<void>;
  /** Waits until the screen shows it, and gives that screen. */
  waitFor(wanted: string | RegExp, timeoutMs?: number): Promise<string>;
  /** Waits until the screen no longer shows it, and gives that screen. */
  waitUntilGone(unwanted: string | RegExp, timeoutMs?: number): Promise<string>;
  /** The exit code, 128 and the signal's number for a killed Pi, or `undefined` while it runs. */
  exitCode(): Promise<number | undefined>;
  /** Ends Pi and its terminal. */
  close(): Promise<void>;
}
