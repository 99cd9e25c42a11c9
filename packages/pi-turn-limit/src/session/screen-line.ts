import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** What cannot be aborted may leave a person waiting, and they want to know that they have been heard. */
const SOON_MS = 2_500;

/**
 * The line that tells a person at a terminal why the run was stopped. The message that the run ends with shows it; where that
 * message does not come soon, or not at all, it is a notification.
 */
export class ScreenLine {
  #owed: { ctx: ExtensionContext; line: string; soon: NodeJS.Timeout } | undefined;

  owe(ctx: ExtensionContext, line: string): void {
    this.take();
    this.#owed = { ctx, line, soon: setTimeout(() => this.pay(), SOON_MS).unref() };
  }

  /** The line, if it has not been shown yet: whoever takes it shows it. */
  take(): string | undefined {
    clearTimeout(this.#owed?.soon);
    const line = this.#owed?.line;
    this.#owed = undefined;
    return line;
  }

  /** No message shows it. */
  pay(): void {
    const ctx = this.#owed?.ctx;
    const line = this.take();
    if (ctx === undefined || line === undefined) return;
    try {
      ctx.ui.notify(line, "error");
    } catch {
      // The session has ended, and its screen with it.
    }
  }
}
