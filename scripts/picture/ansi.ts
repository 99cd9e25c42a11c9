import { type Colour, indexed, rgb } from "./palette.ts";

/** How a stretch of text looks. A colour that is left out is the terminal's own. */
export interface Style {
  readonly fg?: Colour;
  readonly bg?: Colour;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

/** Text in one style, and the column it begins in. */
export interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: Style;
}

/** Reads a captured screen: its lines, each as runs of one style. A style lasts until it is changed. */
export function readScreen(ansi: string): Run[][] {
  let style: Style = {};
  return ansi
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const runs: Run[] = [];
      let column = 0;
      for (const { codes, text } of pieces(line)) {
        if (codes) style = restyled(style, codes);
        else {
          runs.push({ column, text, style });
          column += [...text].length;
        }
      }
      return runs;
    });
}

interface Piece {
  codes?: number[];
  text: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this reads.
const escapeSequence = /\x1b\[([0-9;]*)m/;

/** The line's text and the codes between, in order. Splitting by a group puts the codes at odd places. */
function pieces(line: string): Piece[] {
  return line
    .split(escapeSequence)
    .map((part, place) => (place % 2 ? { codes: part.split(";").map(Number), text: "" } : { text: part }))
    .filter(({ codes, text }) => codes || text !== "");
}

function restyled(style: Style, codes: readonly number[]): Style {
  const left = [...codes];
  let next = style;
  for (let code = left.shift(); code !== undefined; code = left.shift()) next = apply(next, code, left);
  return next;
}

/** Applies one code. `rest` are the codes after it; a colour takes its parts from there. */
function apply(style: Style, code: number, rest: number[]): Style {
  const { fg, bg, ...others } = style;
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 27) return { ...style, inverse: false };
  if (code >= 30 && code <= 37) return { ...style, fg: indexed(code - 30) };
  if (code === 38) return { ...style, fg: extended(rest) };
  if (code === 39) return { ...others, ...(bg && { bg }) };
  if (code >= 40 && code <= 47) return { ...style, bg: indexed(code - 40) };
  if (code === 48) return { ...style, bg: extended(rest) };
  if (code === 49) return { ...others, ...(fg && { fg }) };
  if (code >= 90 && code <= 97) return { ...style, fg: indexed(code - 90 + 8) };
  if (code >= 100 && code <= 107) return { ...style, bg: indexed(code - 100 + 8) };
  return style;
}

function extended(rest: number[]): Colour {
  if (rest.shift() === 5) return indexed(rest.shift() ?? 0);
  const [red = 0, green = 0, blue = 0] = rest.splice(0, 3);
  return rgb(red, green, blue);
}
