import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import type { Binding } from "../person/key-press.ts";

/** What our screens need from Pi's theme. */
export type ScreenTheme = Pick<Theme, "fg" | "bg" | "bold" | "inverse">;

/** What a screen needs from the terminal it is shown on. */
export interface ScreenHost {
  readonly theme: ScreenTheme;
  /** The height of the terminal. */
  height(): number;
  matches(data: string, binding: Binding): boolean;
  /** The screen has changed and must be drawn again. */
  changed(): void;
  close(): void;
  /** Something else now gets the keys, and may have replaced the screen. */
  lost(): void;
}

/** Something of ours that is shown instead of the editor, and gets the keys. */
export abstract class Screen {
  /** Where Pi fills the screen, its paging keys scroll the transcript unless the focused component asks for them. */
  readonly capturesViewportInput = true;
  protected readonly host: ScreenHost;
  #focused = false;

  constructor(host: ScreenHost) {
    this.host = host;
  }

  get focused(): boolean {
    return this.#focused;
  }

  set focused(focused: boolean) {
    const lost = this.#focused && !focused;
    this.#focused = focused;
    if (lost) this.host.lost();
  }

  abstract handleInput(data: string): void;

  abstract render(width: number): string[];

  invalidate(): void {}

  dispose(): void {}
}

/**
 * Shows a screen until it is closed, or something else gets the keys: Pi 0.87.1 drops it without an event when a dialog
 * takes its place, and accepts no prompt until the command that opened it is over.
 */
export function openScreen(ctx: ExtensionContext, create: (host: ScreenHost) => Screen): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = ctx.ui.custom<void>((tui, theme, keys, done) =>
      create({
        theme,
        height: () => tui.terminal.rows,
        matches: (data, binding) => keys.matches(data, binding),
        changed: () => tui.requestRender(),
        close: done,
        lost: resolve,
      }),
    );
    closed.then(resolve, reject);
  });
}
