import { oneLine } from "../core.ts";

/** The key bindings of Pi that the panel and the question use, so that they have the keys a person is used to. */
export type Binding =
  | "tui.select.up"
  | "tui.select.down"
  | "tui.select.pageUp"
  | "tui.select.pageDown"
  | "tui.select.confirm"
  | "tui.select.cancel"
  | "tui.input.newLine"
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
  /** A key that is let go does nothing; one that is held down is pressed again and again. */
  readonly phase: "pressed" | "held" | "released";
  readonly pasted: boolean;
  /** The text that it types, if any. */
  readonly text: string;
  /** The same in lower case, unless it was pasted: a paste is not a command. */
  readonly letter: string;
  /** The letter that was pressed with Ctrl, if any. */
  readonly control: string;
  is(binding: Binding): boolean;
}

const ESCAPE = "\x1b";
const PASTE = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;
const KITTY = /^\[(\d+)(?::(\d*)(?::\d+)?)?(?:;(\d+)(?::\d+)?)?u$/;
const MODIFY_OTHER_KEYS = /^\[27;(\d+);(\d+)~$/;
const KEYPAD_FROM = 57_399;
const KEYPAD = "0123456789./*-+";
const ENTER_CODES = [13, 57_414];
const ESCAPE_CODE = 27;
const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const LOCKS = 64 + 128;
const HELD = /^\[.*:2[u~A-H]$/;
const RELEASED = /^\[.*:3[u~A-H]$/;

/** Reads what the terminal sent, in any of its protocols. */
export function readKey(data: string, matches: Matches): KeyPress {
  const pasted = data.startsWith(PASTE);
  const phase = pasted ? "pressed" : phaseOf(data);
  const text = pasted ? pastedText(data) : phase === "released" ? "" : typedText(data);
  return {
    phase,
    pasted,
    text,
    letter: pasted ? "" : text.toLowerCase(),
    control: pasted || phase === "released" ? "" : controlOf(data),
    is: (binding) =>
      !pasted &&
      phase !== "released" &&
      (matches(data, binding) || (binding === "tui.select.confirm" && data === "\n")),
  };
}

/** Is it Enter, alone or with Alt, which sends what is in the editor? A line feed does not. For whoever hears keys where Pi does not say how they are bound. */
export function sendsText(data: string): boolean {
  return ["\r", `${ESCAPE}\r`, `${ESCAPE}OM`].includes(data) || isPressed(data, ENTER_CODES, [0, ALT]);
}

/** Is it Escape or Ctrl+C, with which a person dismisses a dialog? */
export function isDismissal(data: string): boolean {
  if (data === ESCAPE || isPressed(data, [ESCAPE_CODE], [0])) return true;
  return phaseOf(data) !== "released" && controlOf(data) === "c";
}

function isPressed(data: string, codes: readonly number[], modifiers: readonly number[]): boolean {
  const key = numberedKey(data);
  if (key === undefined || phaseOf(data) === "released") return false;
  return codes.includes(key.code) && modifiers.includes(key.modifiers);
}

function phaseOf(data: string): KeyPress["phase"] {
  const sequence = data.slice(ESCAPE.length);
  if (RELEASED.test(sequence)) return "released";
  return HELD.test(sequence) ? "held" : "pressed";
}

function controlOf(data: string): string {
  const code = data.length === 1 ? data.charCodeAt(0) : 0;
  if (code >= 1 && code <= 26) return String.fromCharCode(code + 96);
  const key = numberedKey(data);
  const character = String.fromCodePoint(Math.min(key?.code ?? 0, 0x7f));
  return key?.modifiers === CTRL && /[a-z]/.test(character) ? character : "";
}

function pastedText(data: string): string {
  return oneLine(data.slice(PASTE.length).replace(PASTE_END, "").trim());
}

function typedText(data: string): string {
  if (data.startsWith(ESCAPE)) return escapedText(data);
  return /\p{Cc}/u.test(data) ? "" : data;
}

function escapedText(data: string): string {
  const key = numberedKey(data);
  if (key === undefined || key.modifiers & ~SHIFT) return "";
  return characterOf((key.modifiers && key.shifted) || key.code);
}

function characterOf(code: number): string {
  const keypad = KEYPAD[code - KEYPAD_FROM];
  if (keypad !== undefined) return keypad;
  const character = code > 0x10ffff ? "" : String.fromCodePoint(code);
  // Keys with a function of their own are private code points.
  return /\p{Co}|\p{Cc}/u.test(character) ? "" : character;
}

/** A key that a terminal sends as its number. A lock that is on changes nothing about it. */
interface NumberedKey {
  readonly code: number;
  /** What it is with Shift, where the terminal says so; 0 where it does not. */
  readonly shifted: number;
  readonly modifiers: number;
}

function numberedKey(data: string): NumberedKey | undefined {
  const sequence = data.slice(ESCAPE.length);
  const [, code, shifted, modifier] = KITTY.exec(sequence) ?? [];
  const [, otherModifier, otherCode] = MODIFY_OTHER_KEYS.exec(sequence) ?? [];
  const number = code ?? otherCode;
  if (number === undefined) return undefined;
  // Terminals send the modifiers plus one.
  const modifiers = (Number(modifier ?? otherModifier ?? 1) - 1) & ~LOCKS;
  return { code: Number(number), shifted: Number(shifted ?? 0), modifiers };
}
