import { type Binding, readKey } from "./key-press.ts";
import type { LimitRow } from "./limit-row.ts";
import { JUST_OPENED, type PanelState, press } from "./panel-state.ts";
import { renderPanel } from "./render-panel.ts";
import type { PanelTheme } from "./render-row.ts";

const REFRESH_MS = 250;
// What Pi draws above and below a screen of an extension.
const LINES_KEPT_FREE = 6;

/** What the panel needs from the terminal it is shown on. */
export interface PanelHost {
  readonly theme: PanelTheme;
  /** The height of the terminal. */
  height(): number;
  matches(data: string, binding: Binding): boolean;
  /** The panel has changed and must be drawn again. */
  changed(): void;
  close(): void;
  /** Something else now gets the keys, and may have replaced the panel. */
  lost(): void;
}

/** The limits on a screen of their own. They stay up to date and can be edited. */
export class LimitsPanel {
  /** Where Pi fills the screen, its paging keys scroll the transcript unless the focused component asks for them. */
  readonly capturesViewportInput = true;
  readonly #host: PanelHost;
  readonly #rows: () => readonly LimitRow[];
  readonly #title: string;
  #state: PanelState = JUST_OPENED;
  #focused = false;
  #disposed = false;
  #refresh: NodeJS.Timeout | undefined;

  constructor(host: PanelHost, rows: () => readonly LimitRow[], title: string) {
    this.#host = host;
    this.#rows = rows;
    this.#title = title;
  }

  get focused(): boolean {
    return this.#focused;
  }

  set focused(focused: boolean) {
    const lost = this.#focused && !focused;
    this.#focused = focused;
    if (lost) this.#host.lost();
  }

  handleInput(data: string): void {
    const key = readKey(data, (sent, binding) => this.#host.matches(sent, binding));
    const state = press(this.#state, key, this.#rows());
    if (state === "closed") {
      this.dispose();
      this.#host.close();
    } else {
      this.#state = state;
      this.#host.changed();
    }
  }

  render(width: number): string[] {
    this.#drawAgainSoon();
    return renderPanel(this.#rows(), this.#state, width, this.#host.theme, {
      title: this.#title,
      height: this.#host.height() - LINES_KEPT_FREE,
      focused: this.#focused,
    });
  }

  invalidate(): void {}

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#refresh);
  }

  // Set again at each drawing, so that it stops while something else is shown instead.
  #drawAgainSoon(): void {
    if (this.#disposed || this.#refresh) return;
    this.#refresh = setTimeout(() => {
      this.#refresh = undefined;
      this.#host.changed();
    }, REFRESH_MS).unref();
  }
}
