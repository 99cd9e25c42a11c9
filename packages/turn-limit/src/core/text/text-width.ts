const ASCII = /^[ -~]*$/;
// Only this flag knows emoji of several code points, and TypeScript does not take it in a literal yet.
const UNICODE_SETS = "v";
// Made when they are needed: they take 20 ms, which must not slow a start.
let segmenter: Intl.Segmenter | undefined;
let emoji: RegExp | undefined;
let twoColumns: RegExp | undefined;
let noColumn: RegExp | undefined;

/** The characters as a reader sees them. */
export function charactersOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** How many columns a text without colours takes on a terminal. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + columnsOf(character), 0);
}

/** The text on one line, without anything that a terminal would act on. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

/** As many of the characters from the start as fit. */
export function startOf(text: string, width: number): string {
  return fitting(charactersOf(text), width).join("");
}

/** As many of the characters from the end as fit. */
export function endOf(text: string, width: number): string {
  return fitting(charactersOf(text).reverse(), width).reverse().join("");
}

/** The text, ended with an ellipsis if it does not fit. */
export function cut(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${startOf(text, width - 1)}${width > 0 ? "…" : ""}`;
}

/** The text with an ellipsis in its middle if it does not fit. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width || width < 3) return cut(text, width);
  const start = startOf(text, Math.ceil((width - 1) / 2));
  return `${start}…${endOf(text, width - 1 - widthOf(start))}`;
}

/** The text, filled up with blanks on its right. */
export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** The text, filled up with blanks on its left. */
export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

/** The parts on as few lines as hold them; a part that is wider than a line is cut. */
export function flow(parts: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1)}${separator}${part}`;
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(cut(part, width));
  }
  return lines;
}

/** The words on as few lines as hold them; a word that is wider than a line goes on in the next one. */
export function wrap(text: string, width: number): string[] {
  return flow(
    text.split(" ").flatMap((word) => pieces(word, width)),
    " ",
    width,
  );
}

function pieces(word: string, width: number): string[] {
  const first = startOf(word, width);
  return first === "" || first === word ? [word] : [first, ...pieces(word.slice(first.length), width)];
}

function fitting(characters: readonly string[], width: number): string[] {
  let room = width;
  const past = characters.findIndex((character) => {
    room -= columnsOf(character);
    return room < 0;
  });
  return characters.slice(0, past < 0 ? characters.length : past);
}

function columnsOf(character: string): number {
  const points = [...character];
  if (points.length > 1 && isEmoji(character)) return 2;
  twoColumns ??=
    /^[\p{Emoji_Presentation}\p{Regional_Indicator}\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]$/u;
  // Some marks of Arabic and Burmese take a column of their own on terminals.
  noColumn ??= /^(?![\u065f\u1033-\u103e])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Mn}\p{Me}\p{Cs}]$/u;
  let columns = 0;
  for (const point of points) {
    if (twoColumns.test(point)) columns += 2;
    else if (!noColumn.test(point)) columns += 1;
  }
  return columns;
}

function isEmoji(character: string): boolean {
  emoji ??= new RegExp("^\\p{RGI_Emoji}$", UNICODE_SETS);
  return emoji.test(character);
}
