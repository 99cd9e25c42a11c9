import { cut } from "../core.ts";
import { Screen } from "../display/screen.ts";
import { readKey } from "../person/key-press.ts";

// What Pi draws above and below a screen of an extension, and the two lines that the view adds.
const ROWS_KEPT_FREE = 8;
const FEWEST_ROWS = 5;

/** A text, or what makes it for the width it is shown in. */
type Shown = string | ((width: number) => string);

/** A text on a screen of its own: scrolls if it is too long, and closes with Escape, Enter or q. */
export class ReportView extends Screen {
  #text: Shown = "Reading your sessions…";
  #lines: readonly string[] = [];
  #top = 0;

  show(text: Shown): void {
    this.#text = text;
    this.#top = 0;
    this.host.changed();
  }

  /** How much is read, from 0 to 1. */
  progress(share: number): void {
    const line = `Reading your sessions… ${Math.min(99, Math.floor(share * 100))} %`;
    if (line !== this.#text) this.show(line);
  }

  handleInput(data: string): void {
    const key = readKey(data, (sent, binding) => this.host.matches(sent, binding));
    if (key.is("tui.select.cancel") || key.is("tui.select.confirm") || key.letter === "q") this.host.close();
    else if (key.is("tui.select.up")) this.#scroll(-1);
    else if (key.is("tui.select.down")) this.#scroll(1);
    else if (key.is("tui.select.pageUp")) this.#scroll(-this.#height);
    else if (key.is("tui.select.pageDown")) this.#scroll(this.#height);
    else if (key.is("tui.editor.cursorLineStart")) this.#scroll(-this.#lines.length);
    else if (key.is("tui.editor.cursorLineEnd")) this.#scroll(this.#lines.length);
  }

  render(width: number): string[] {
    this.#lines = (typeof this.#text === "string" ? this.#text : this.#text(width)).split("\n");
    this.#top = this.#within(this.#top);
    const shown = this.#lines.slice(this.#top, this.#top + this.#height);
    const scrolls = this.#lines.length > this.#height ? "↑↓ scroll · " : "";
    const rule = this.#dim("─".repeat(width));
    return [
      rule,
      ...shown.map((line) => cut(line, width)),
      this.#dim(cut(`${scrolls}Escape closes`, width)),
      rule,
    ];
  }

  #dim(text: string): string {
    return this.host.theme.fg("dim", text);
  }

  get #height(): number {
    return Math.max(FEWEST_ROWS, this.host.height() - ROWS_KEPT_FREE);
  }

  #scroll(by: number): void {
    this.#top = this.#within(this.#top + by);
    this.host.changed();
  }

  #within(top: number): number {
    return Math.max(0, Math.min(top, this.#lines.length - this.#height));
  }
}
