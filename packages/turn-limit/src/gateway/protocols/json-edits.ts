/** Where a value stands in JSON: the keys and numbers that lead to it. */
export type JsonPath = readonly (string | number)[];

/** A change of a JSON text: an item of a list, or a member of an object, goes; or the object there gets one more member. */
export interface JsonEdit {
  readonly path: JsonPath;
  readonly member?: { readonly key: string; readonly value: unknown };
}

/** A JSON text with these changes. All the rest stays as it is written, byte for byte. The text must be valid. */
export function edited(text: string, edits: readonly JsonEdit[]): string {
  const changes: Change[] = [];
  collectChanges(text, nextValue(text, 0), edits, changes);
  let made = "";
  let at = 0;
  for (const { start, end, put = "" } of changes) {
    made += text.slice(at, start) + put;
    at = end;
  }
  return made + text.slice(at);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Change extends Range {
  readonly put?: string;
}

/** An item of a list, or a member of an object with its key. */
interface Part extends Range {
  readonly key: string | number;
  /** Where its value begins. */
  readonly value: number;
}

// In the order of the text.
function collectChanges(text: string, at: number, edits: readonly JsonEdit[], changes: Change[]): void {
  const parts = partsOf(text, at);
  let kept: Part | undefined;
  for (const [number, part] of parts.entries()) {
    const inside = edits.filter(({ path }) => path[0] === part.key);
    if (!inside.some(({ path, member }) => path.length === 1 && !member)) {
      const rest = inside.map((edit) => ({ ...edit, path: edit.path.slice(1) }));
      if (rest.length > 0) collectChanges(text, part.value, rest, changes);
      kept = part;
      continue;
    }
    // With the comma before it, or after it if nothing stays before it.
    if (kept) changes.push({ start: parts[number - 1]?.end ?? part.start, end: part.end });
    else changes.push({ start: part.start, end: parts[number + 1]?.start ?? part.end });
  }
  const end = parts.at(-1)?.end ?? at + 1;
  for (const { path, member } of edits) {
    if (path.length > 0 || !member) continue;
    const put = `${kept ? "," : ""}${JSON.stringify(member.key)}:${JSON.stringify(member.value)}`;
    changes.push({ start: end, end, put });
  }
}

function partsOf(text: string, at: number): Part[] {
  const isObject = text[at] === "{";
  if (!isObject && text[at] !== "[") return [];
  const parts: Part[] = [];
  let start = nextValue(text, at + 1);
  while (text[start] !== "]" && text[start] !== "}") {
    const endOfKey = isObject ? endOfValue(text, start) : start;
    const value = isObject ? nextValue(text, text.indexOf(":", endOfKey) + 1) : start;
    const end = endOfValue(text, value);
    parts.push({ key: isObject ? JSON.parse(text.slice(start, endOfKey)) : parts.length, start, value, end });
    const after = nextValue(text, end);
    start = text[after] === "," ? nextValue(text, after + 1) : after;
  }
  return parts;
}

const SPACE = /\s*/y;
const STRUCTURE = /["{}[\]]/g;
const END_OF_WORD = /[\s,\]}]|$/g;

/** Where what comes after the white space begins. */
function nextValue(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

function endOfValue(text: string, at: number): number {
  if (text[at] === '"') return endOfText(text, at);
  if (text[at] !== "{" && text[at] !== "[") return firstOf(END_OF_WORD, text, at);
  let depth = 0;
  for (let next = at; ; next = firstOf(STRUCTURE, text, next)) {
    const sign = text[next];
    if (sign === '"') next = endOfText(text, next);
    else {
      depth += sign === "{" || sign === "[" ? 1 : -1;
      next += 1;
      if (depth === 0) return next;
    }
  }
}

function firstOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** The end of a text, after its closing quotation mark: the first one with an even number of backslashes before it. */
function endOfText(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); ; end = text.indexOf('"', end + 1)) {
    if (end < 0) return text.length;
    let before = end;
    while (text[before - 1] === "\\") before -= 1;
    if ((end - before) % 2 === 0) return end + 1;
  }
}
