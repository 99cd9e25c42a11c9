import { oneLine } from "../text-width.ts";

/** The key bindings of Pi that the panel uses, so that it has the keys a person is used to. */
export type Binding =
  | "tui.select.up"
  | "tui.select.down"
  | "tui.select.pageUp"
  | "tui.select.pageDown"
  | "tui.select.confirm"
  | "tui.select.cancel"
  | "tui.editor.cursorLeft"
  | "tui.editor.cursorRight"
  | "tui.editor.cursorLineStart"
  | "tui.editor.cursorLineEnd"
  | "tui.editor.deleteCharBackward"
  | "tui.editor.deleteCharForward"
  | "tui.editor.deleteWordBackward"
  | "tui.editor.deleteToLineStart"
  | "tui.editor.deleteToLineEnd";

/** Says whether what the terminal sent is a key of the binding. */
export type Matches = (data: string, binding: Binding) => boolean;

/** What a person pressed or pasted. */
export interface KeyPress {
  /** The text that it types, if any. */
  readonly text: string;
  /** The same in lower case, unless it was pasted: a paste is not a command. */
  readonly letter: string;
  is(binding: Binding): boolean;
}

const ESCAPE = "\x1b";
const PASTE = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;
const KITTY = /^\[(\d+)(?::(\d*)(?::\d+)?)?(?:;(\d+)(?::\d+)?)?u$/;
const MODIFY_OTHER_KEYS = /^\[27;(\d+);(\d+)~$/;
const KEYPAD_FROM = 57_399;
const KEYPAD = "0123456789./*-+";
const FUNCTIONAL_KEY = /\p{Co}/u;
const SHIFT_AND_LOCKS = 1 + 64 + 128;

/** Reads what the terminal sent, in any of its protocols. */
export function readKey(data: string, matches: Matches): KeyPress {
  const pasted = data.startsWith(PASTE);
  const text = pasted ? pastedText(data) : typedText(data);
  return {
    text,
    letter: pasted ? "" : text.toLowerCase(),
    is: (binding) =>
      !pasted && (matches(data, binding) || (binding === "tui.select.confirm" && data === "\n")),
  };
}

function pastedText(data: string): string {
  return oneLine(data.slice(PASTE.length).replace(PASTE_END, "").trim());
}

function typedText(data: string): string {
  if (data.startsWith(ESCAPE)) return escapedText(data.slice(ESCAPE.length));
  return /\p{Cc}/u.test(data) ? "" : data;
}

function escapedText(sequence: string): string {
  const [, code, shifted, modifier] = KITTY.exec(sequence) ?? [];
  if (code !== undefined) return characterOf(Number((isShift(modifier) && shifted) || code), modifier);
  const [, held, otherCode] = MODIFY_OTHER_KEYS.exec(sequence) ?? [];
  return otherCode === undefined ? "" : characterOf(Number(otherCode), held);
}

function characterOf(code: number, modifier: string | undefined): string {
  if (modifiersOf(modifier) & ~SHIFT_AND_LOCKS || code > 0x10ffff) return "";
  const keypad = KEYPAD[code - KEYPAD_FROM];
  if (keypad !== undefined) return keypad;
  const character = String.fromCodePoint(code);
  return FUNCTIONAL_KEY.test(character) || /\p{Cc}/u.test(character) ? "" : character;
}

function isShift(modifier: string | undefined): boolean {
  return (modifiersOf(modifier) & 1) === 1;
}

// Terminals send them plus one.
function modifiersOf(modifier: string | undefined): number {
  return modifier === undefined ? 0 : Number(modifier) - 1;
}
