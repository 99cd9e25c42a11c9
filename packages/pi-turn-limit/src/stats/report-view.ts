// What Pi draws above and below a screen of an extension, and the two lines that the view adds.
const ROWS_KEPT_FREE = 8;
const FEWEST_ROWS = 5;

type ViewKey =
  | "tui.select.up"
  | "tui.select.down"
  | "tui.select.pageUp"
  | "tui.select.pageDown"
  | "tui.select.confirm"
  | "tui.select.cancel";

/** What the view needs from the terminal it is shown on. */
export interface ViewHost {
  /** The height of the terminal. */
  rows(): number;
  dim(text: string): string;
  matches(data: string, key: ViewKey): boolean;
  /** The view has changed and must be drawn again. */
  changed(): void;
  close(): void;
}

/** A text on a screen of its own: scrolls if it is too long, and closes with Escape or Enter. */
export class ReportView {
  /** Where Pi fills the screen, its paging keys scroll the transcript unless the focused component asks for them. */
  readonly capturesViewportInput = true;
  readonly #host: ViewHost;
  #lines = ["Reading your sessions…"];
  #top = 0;

  constructor(host: ViewHost) {
    this.#host = host;
  }

  show(text: string): void {
    this.#lines = text.split("\n");
    this.#top = 0;
    this.#host.changed();
  }

  /** How much is read, from 0 to 1. */
  progress(share: number): void {
    const line = `Reading your sessions… ${Math.min(99, Math.floor(share * 100))} %`;
    if (line !== this.#lines[0]) this.show(line);
  }

  handleInput(data: string): void {
    const pressed = (key: ViewKey) => this.#host.matches(data, key);
    if (pressed("tui.select.cancel") || pressed("tui.select.confirm")) this.#host.close();
    else if (pressed("tui.select.up")) this.#scroll(-1);
    else if (pressed("tui.select.down")) this.#scroll(1);
    else if (pressed("tui.select.pageUp")) this.#scroll(-this.#height);
    else if (pressed("tui.select.pageDown")) this.#scroll(this.#height);
  }

  render(width: number): string[] {
    this.#top = this.#within(this.#top);
    const shown = this.#lines.slice(this.#top, this.#top + this.#height);
    const scrolls = this.#lines.length > this.#height ? "↑↓ scroll · " : "";
    const rule = this.#host.dim("─".repeat(width));
    return [
      rule,
      ...shown.map((line) => cut(line, width)),
      this.#host.dim(cut(`${scrolls}Escape closes`, width)),
      rule,
    ];
  }

  invalidate(): void {}

  get #height(): number {
    return Math.max(FEWEST_ROWS, this.#host.rows() - ROWS_KEPT_FREE);
  }

  #scroll(by: number): void {
    this.#top = this.#within(this.#top + by);
    this.#host.changed();
  }

  #within(top: number): number {
    return Math.max(0, Math.min(top, this.#lines.length - this.#height));
  }
}

function cut(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
}
