import { charactersOf, endOf, startOf, widthOf } from "../core.ts";

/** A line of text that is being edited: the text before the cursor, and the text after it. */
export interface TextField {
  readonly before: string;
  readonly after: string;
  /** The whole text is selected: what is typed replaces it. */
  readonly selected?: true;
}

/** A field whose text is selected, with the cursor at its end. */
export function selectedField(text: string): TextField {
  return { before: text, after: "", selected: true };
}

/** A field with the cursor at the end of its text. */
export function fieldWith(text: string): TextField {
  return { before: text, after: "" };
}

/** The whole text. */
export function textOf({ before, after }: TextField): string {
  return before + after;
}

/** The text written at the cursor, or over what is selected. */
export function insert({ before, after, selected }: TextField, text: string): TextField {
  return selected ? fieldWith(text) : { before: before + text, after };
}

/** The cursor one character to the left. */
export function left({ before, after }: TextField): TextField {
  const character = lastOf(before);
  return { before: before.slice(0, before.length - character.length), after: character + after };
}

/** The cursor one character to the right. */
export function right({ before, after }: TextField): TextField {
  const character = firstOf(after);
  return { before: before + character, after: after.slice(character.length) };
}

/** The cursor at the start. */
export function toStart(field: TextField): TextField {
  return { before: "", after: textOf(field) };
}

/** The cursor at the end. */
export function toEnd(field: TextField): TextField {
  return fieldWith(textOf(field));
}

/** Without the character before the cursor. */
export function eraseBefore(field: TextField): TextField {
  return { before: left(field).before, after: field.after };
}

/** Without the character that the cursor is on. */
export function eraseAfter(field: TextField): TextField {
  return { before: field.before, after: right(field).after };
}

/** Without the word before the cursor. */
export function eraseWordBefore({ before, after }: TextField): TextField {
  return { before: before.replace(/\S*\s*$/, ""), after };
}

/** Without the text before the cursor. */
export function eraseToStart({ after }: TextField): TextField {
  return { before: "", after };
}

/** Without the text after the cursor. */
export function eraseToEnd({ before }: TextField): TextField {
  return { before, after: "" };
}

/** The visible part of a field: the text around the character that the cursor is on. */
export interface FieldView {
  readonly before: string;
  readonly cursor: string;
  readonly after: string;
}

/** The part of a field that fits into `width` columns. */
export function viewOf(field: TextField, width: number): FieldView {
  const cursor = firstOf(field.after) || " ";
  const before = endOf(field.before, width - widthOf(cursor));
  const room = width - widthOf(before) - widthOf(cursor);
  return { before, cursor, after: startOf(right(field).after, room) };
}

function firstOf(text: string): string {
  return charactersOf(text)[0] ?? "";
}

function lastOf(text: string): string {
  return charactersOf(text).at(-1) ?? "";
}
