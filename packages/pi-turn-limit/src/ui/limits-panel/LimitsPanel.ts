import { type Binding, readKey } from "./KeyPress.ts";
import type { LimitRow } from "./LimitRow.ts";
import { JUST_OPENED, type PanelState, press } from "./PanelState.ts";
import type { PanelTheme } from "./PanelTheme.ts";
import { renderPanel } from "./render-panel.ts";

const REFRESH_MS = 250;
// What Pi draws above and below a screen of an extension.
const LINES_KEPT_FREE = 6;

/** What the panel needs from the terminal it is shown on. */
export interface PanelHost {
  readonly theme: PanelTheme;
  /** The height of the terminal. */
  height(): number;
  matches(data: string, binding: Binding): boolean;
  /** Something else is to be seen now. */
  changed(): void;
  close(): void;
  /** Something else has taken the keys, and may have taken the place. */
  lost(): void;
}

/** The limits on a screen of their own, which stay current and can be changed. */
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

  // From one drawing to the next, so that it rests while something else is shown in its place.
  #drawAgainSoon(): void {
    if (this.#disposed || this.#refresh) return;
    this.#refresh = setTimeout(() => {
      this.#refresh = undefined;
      this.#host.changed();
    }, REFRESH_MS).unref();
  }
}
