import { cut, oneLine, widthOf } from "../core/text/text-width.ts";

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

/** A line in one style. Nothing in it can act on the terminal. */
export function line(text: string, style?: Style): Line {
  return [{ text: oneLine(text), style }];
}

/** As much of the line as fits. */
export function fitted(spans: Line, width: number): Line {
  const fitting: Span[] = [];
  let room = width;
  for (const { text, style } of spans) {
    if (room <= 0) break;
    const shown = cut(text, room);
    fitting.push({ text: shown, style });
    if (shown !== text) break;
    room -= widthOf(text);
  }
  return fitting;
}

/** The line as it is written, with or without colours. */
export function written(spans: Line, colours: boolean): string {
  const painted = ({ text, style }: Span) =>
    style === undefined || !colours ? text : `\x1b[${CODES[style]}m${text}\x1b[0m`;
  return spans.map(painted).join("").trimEnd();
}
