import { cut, oneLine, padEnd, widthOf } from "../../core/text/text-width.ts";

const CODES = {
  bold: "1",
  dim: "2",
  red: "31",
  green: "32",
  yellow: "33",
  cyan: "36",
  inverse: "7",
} as const;

export type Style = keyof typeof CODES;

/** A piece of a line, in one style. */
export interface Span {
  text: string;
  style?: Style | undefined;
}

export type Line = readonly Span[];

/** A line in one style. */
export function line(text: string, style?: Style): Line {
  return [{ text, style }];
}

/** As much of the line as fits. */
export function fitted(spans: Line, width: number): Line {
  const fitting: Span[] = [];
  let room = width;
  for (const { text, style } of spans) {
    if (room <= 0) break;
    const whole = oneLine(text);
    const shown = cut(whole, room);
    fitting.push({ text: shown, style });
    if (shown !== whole) break;
    room -= widthOf(shown);
  }
  return fitting;
}

/** The line as it is written, with or without colours. Nothing in its texts can act on the terminal. */
export function written(spans: Line, colours: boolean): string {
  const painted = ({ text, style }: Span) =>
    style === undefined || !colours ? oneLine(text) : `\x1b[${CODES[style]}m${oneLine(text)}\x1b[0m`;
  return spans.map(painted).join("").trimEnd();
}

/** What stands in a cell: a text, or a text in a style. */
type Cell = string | Span;

export interface Row {
  /** One for each column, or a single one that reaches over all of them. */
  cells: readonly Cell[];
  /** The style of the cells that have none. */
  style?: Style | undefined;
}

const GAP = "  ";
const NARROWEST = 10;
/** A cell that is wider is cut, so that one long name does not make every row as long. */
const WIDEST = 200;
/** How many code units of a cell are looked at: a character rarely has more than 8. */
const MOST_UNITS = 8 * WIDEST;

/** Lines with the cells below each other. If they are wider than `width`, the first column is made narrower. */
export function table(headings: readonly string[], rows: readonly Row[], width: number): Line[] {
  const all = [{ cells: headings, style: "dim" as const }, ...rows].map(spansOf);
  const widths = headings.map(() => 0);
  for (const row of all)
    if (row.length > 1)
      for (const [column, { text }] of row.entries())
        widths[column] = Math.max(widths[column] ?? 0, widthOf(text));
  const [first = 0, ...others] = widths;
  const rest = others.reduce((sum, other) => sum + GAP.length + other, 0);
  widths[0] = Math.min(first, Math.max(NARROWEST, width - rest));
  return all.map((row) =>
    row.length === 1 ? row : row.flatMap((span, column) => cell(span, column, widths)),
  );
}

function cell({ text, style }: Span, column: number, widths: readonly number[]): Line {
  const room = widths[column] ?? 0;
  const padded = { text: padEnd(cut(text, room), room), style };
  // The gap has the style of the row, so that a row in inverse is one bar.
  return column === 0 ? [padded] : [{ text: GAP, style }, padded];
}

function spansOf({ cells, style }: Row): Span[] {
  return cells.map((cell) => {
    const span = typeof cell === "string" ? { text: cell } : cell;
    return { text: beginningOf(span.text), style: span.style ?? style };
  });
}

/** As much of a text as a cell has room for. */
export function beginningOf(text: string): string {
  return cut(oneLine(text.slice(0, MOST_UNITS)), WIDEST);
}
