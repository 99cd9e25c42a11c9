import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isPisOwnProcess } from "../pi-process.ts";

// On the process, as the exit code is: a reload loads the module again.
const FAILING = Symbol.for("pi-turn-limit.failing");
const shared = globalThis as { [FAILING]?: boolean };
/** What is done first when this process exits. */
const AT_EXIT = Symbol.for("pi-turn-limit.at-exit");
const atExit = globalThis as { [AT_EXIT]?: { first: (() => void) | undefined } };

/**
 * Why print mode's run was stopped, and its exit code. Pi prints the message that the last run ends with and exits with 1
 * because of it, but only if nothing stands behind that message. Otherwise the reason is printed here.
 */
export class PrintedReason {
  readonly #ctx: ExtensionContext;
  #owed: string | undefined;
  #exitCode = 1;
  /** Has the stopped run come to rest? Pi prints the message that says why. */
  #hasEnded = false;

  constructor(ctx: ExtensionContext) {
    this.#ctx = ctx;
  }

  owe(reason: string, exitCode = 1): void {
    this.#owed = reason;
    this.#hasEnded = false;
    this.#exitCode = exitCode;
    // Another extension may end Pi before the run has come to rest, or later, and with another exit code.
    if (isPisOwnProcess())
      whenPiExits(() => {
        if (!this.#hasEnded) this.#print();
        process.exitCode = exitCode;
      });
  }

  /** The stopped run has ended. `hasMessage`: with a message that says why. */
  ended(hasMessage: boolean): void {
    this.#hasEnded = true;
    if (this.#owed === undefined) return;
    if (isPisOwnProcess()) fail(this.#exitCode);
    if (!hasMessage) this.#print();
  }

  /** Another prompt: what became of the one before does not matter for the exit code any more. */
  prompted(): void {
    this.#print();
    if (atExit[AT_EXIT]) atExit[AT_EXIT].first = undefined;
    if (shared[FAILING]) process.exitCode = undefined;
    shared[FAILING] = false;
  }

  /** The session ends. `isLast`: for Pi, which has printed the session's last message. */
  close(isLast: boolean): void {
    if (this.#owed !== undefined && (!isLast || !this.#isLastMessage)) this.#print();
  }

  get #isLastMessage(): boolean {
    const message = this.#ctx.sessionManager.buildSessionProjection().messages.at(-1);
    if (message?.role !== "assistant") return false;
    const { stopReason, errorMessage } = message;
    return (stopReason === "error" || stopReason === "aborted") && errorMessage === this.#owed;
  }

  #print(): void {
    if (this.#owed !== undefined) console.error(this.#owed);
    this.#owed = undefined;
  }
}

/** Pi is ended here, and why has been said: at its exit nothing is printed any more. */
export function saysNoMoreAtExit(code: number): void {
  whenPiExits(() => {
    process.exitCode = code;
  });
}

function fail(code: number): void {
  shared[FAILING] = true;
  process.exitCode = code;
}

function whenPiExits(first: () => void): void {
  if (!atExit[AT_EXIT]) process.once("exit", () => atExit[AT_EXIT]?.first?.());
  atExit[AT_EXIT] = { first };
}
