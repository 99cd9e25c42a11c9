import type { Run, Style } from "./ansi.ts";

/** A screen to draw. */
export interface Picture {
  /** What the title bar says. */
  readonly title: string;
  /** What the picture shows, for those who cannot see it. */
  readonly description: string;
  /** What it was made from. */
  readonly madeFrom: string;
  readonly columns: number;
  readonly lines: readonly (readonly Run[])[];
}

const cell = { width: 8.4, height: 19 };
const fontSize = 14;
const margin = 16;
const titleBar = 34;
const terminal = { fg: "#d4d4d4", bg: "#18181e" };
const frame = {
  bar: "#2a2a33",
  edge: "#3a3a45",
  title: "#9a9aa8",
  buttons: ["#ff5f57", "#febc2e", "#28c840"],
};
const font = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono','DejaVu Sans Mono',monospace";

/** Draws a screen in a terminal window. The same screen, made from the same commit, gives the same bytes. */
export function drawSvg({ title, description, madeFrom, columns, lines }: Picture): string {
  const width = round(columns * cell.width + 2 * margin);
  const height = round(titleBar + lines.length * cell.height + 2 * margin);
  const body = lines.flatMap((runs, row) => {
    const top = titleBar + margin + row * cell.height;
    return [...backgrounds(runs, top), ...runs.flatMap((run) => ink(run, top))];
  });
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(description)}">`,
    `<metadata>Made by npm run picture from ${escaped(madeFrom)}</metadata>`,
    ...windowFrame(title, width, height),
    `<g font-family="${font}" font-size="${fontSize}" fill="${terminal.fg}">`,
    ...body,
    "</g>",
    "</svg>",
  ].join("\n")}\n`;
}

function windowFrame(title: string, width: number, height: number): string[] {
  return [
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${terminal.bg}" stroke="${frame.edge}"/>`,
    `<path d="M1 ${titleBar}V11a10 10 0 0 1 10-10H${width - 11}a10 10 0 0 1 10 10V${titleBar}z" fill="${frame.bar}"/>`,
    ...frame.buttons.map((fill, n) => `<circle cx="${20 + 20 * n}" cy="17.5" r="6" fill="${fill}"/>`),
    `<text x="${width / 2}" y="22" text-anchor="middle" font-family="${font}" font-size="12" fill="${frame.title}">${escaped(title)}</text>`,
  ];
}

/** One box for all neighbours of one colour, so that no seam shows between them. */
function backgrounds(runs: readonly Run[], top: number): string[] {
  const boxes: { column: number; text: string; fill: string }[] = [];
  for (const { column, text, style } of runs) {
    const fill = style.inverse ? (style.fg ?? terminal.fg) : style.bg;
    const last = boxes.at(-1);
    if (!fill) continue;
    if (last?.fill === fill && last.column + cells(last.text) === column) last.text += text;
    else boxes.push({ column, text, fill });
  }
  // Half a pixel over the line below, for the same reason.
  return boxes.map(({ column, text, fill }) => box(column, text, top, cell.height + 0.5, fill));
}

function ink({ column, text, style }: Run, top: number): string[] {
  const fill = style.inverse ? (style.bg ?? terminal.bg) : style.fg;
  return wordsIn(text).map(({ offset, words }) => {
    const at = column + offset;
    // Drawn, because the glyphs of most fonts leave gaps between cells.
    if (/^─+$/.test(words)) return box(at, words, top + cell.height / 2, 1, fill ?? terminal.fg);
    const y = round(top + cell.height / 2 + fontSize * 0.35);
    const look = attributes(style, fill);
    return `<text x="${left(at)}" y="${y}" textLength="${span(words)}"${look}>${escaped(words)}</text>`;
  });
}

/** The words between wider gaps, each with its place: SVG would shrink the gaps to one space. */
function wordsIn(text: string): { offset: number; words: string }[] {
  return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ index, 0: words }) => ({
    offset: cells(text.slice(0, index)),
    words,
  }));
}

function attributes({ bold, dim, italic, underline }: Style, fill: string | undefined): string {
  return [
    fill ? ` fill="${fill}"` : "",
    bold ? ' font-weight="bold"' : "",
    dim ? ' opacity="0.6"' : "",
    italic ? ' font-style="italic"' : "",
    underline ? ' text-decoration="underline"' : "",
  ].join("");
}

function box(column: number, text: string, top: number, height: number, fill: string): string {
  return `<rect x="${left(column)}" y="${round(top)}" width="${span(text)}" height="${height}" fill="${fill}"/>`;
}

function left(column: number): number {
  return round(margin + column * cell.width);
}

function span(text: string): number {
  return round(cells(text) * cell.width);
}

function cells(text: string): number {
  return [...text].length;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
