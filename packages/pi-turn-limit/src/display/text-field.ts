import { charactersOf, endOf, startOf, widthOf } from "../core.ts";
import type { Binding, KeyPress } from "../person/key-press.ts";

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

/** The field after a key; the same field if the key edits nothing. */
export function editedBy(key: KeyPress, field: TextField): TextField {
  if (key.text !== "")
    return field.selected ? fieldWith(key.text) : { ...field, before: field.before + key.text };
  const [, edit] = EDITS.find(([binding]) => key.is(binding)) ?? [];
  return edit ? edit(field) : field;
}

type Edit = (field: TextField) => TextField;

const left: Edit = ({ before, after }) => {
  const character = charactersOf(before).at(-1) ?? "";
  return { before: before.slice(0, before.length - character.length), after: character + after };
};

const right: Edit = ({ before, after }) => {
  const character = charactersOf(after)[0] ?? "";
  return { before: before + character, after: after.slice(character.length) };
};

const EDITS: readonly (readonly [Binding, Edit])[] = [
  ["tui.editor.deleteCharBackward", (field) => ({ before: left(field).before, after: field.after })],
  ["tui.editor.deleteCharForward", (field) => ({ before: field.before, after: right(field).after })],
  ["tui.editor.cursorLeft", left],
  ["tui.editor.cursorRight", right],
  ["tui.editor.cursorLineStart", (field) => ({ before: "", after: textOf(field) })],
  ["tui.editor.cursorLineEnd", (field) => fieldWith(textOf(field))],
  [
    "tui.editor.deleteWordBackward",
    ({ before, after }) => ({ before: before.replace(/\S*\s*$/, ""), after }),
  ],
  ["tui.editor.deleteToLineStart", ({ after }) => ({ before: "", after })],
  ["tui.editor.deleteToLineEnd", ({ before }) => ({ before, after: "" })],
];

/** The visible part of a field: the text around the character that the cursor is on. */
export interface FieldView {
  readonly before: string;
  readonly cursor: string;
  readonly after: string;
}

/** The part of a field that fits into `width` columns. */
export function viewOf(field: TextField, width: number): FieldView {
  const cursor = charactersOf(field.after)[0] || " ";
  const before = endOf(field.before, width - widthOf(cursor));
  const room = width - widthOf(before) - widthOf(cursor);
  return { before, cursor, after: startOf(right(field).after, room) };
}
