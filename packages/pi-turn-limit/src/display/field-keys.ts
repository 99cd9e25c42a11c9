import type { KeyPress } from "../person/key-press.ts";
import * as edit from "./text-field.ts";

/** The field after a key; the same field if the key edits nothing. */
export function editedBy(key: KeyPress, field: edit.TextField): edit.TextField {
  if (key.text !== "") return edit.insert(field, key.text);
  if (key.is("tui.editor.deleteCharBackward")) return edit.eraseBefore(field);
  if (key.is("tui.editor.deleteCharForward")) return edit.eraseAfter(field);
  if (key.is("tui.editor.cursorLeft")) return edit.left(field);
  if (key.is("tui.editor.cursorRight")) return edit.right(field);
  if (key.is("tui.editor.cursorLineStart")) return edit.toStart(field);
  if (key.is("tui.editor.cursorLineEnd")) return edit.toEnd(field);
  if (key.is("tui.editor.deleteWordBackward")) return edit.eraseWordBefore(field);
  if (key.is("tui.editor.deleteToLineStart")) return edit.eraseToStart(field);
  if (key.is("tui.editor.deleteToLineEnd")) return edit.eraseToEnd(field);
  return field;
}
