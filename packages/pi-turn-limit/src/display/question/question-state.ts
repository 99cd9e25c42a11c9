import type { Reply } from "turn-limit";
import type { KeyPress } from "../../person/key-press.ts";
import { editedBy, fieldWith, type TextField, textOf } from "../text-field.ts";
import type { Question } from "./question.ts";

/** What gets the keys beside the question: the editor, or a dialog, list or overlay. */
export type Focus = "empty editor" | "editor" | "elsewhere";

/** The part of a question that is needed to answer it. */
type Answerable = Pick<Question, "entries" | "parseAmount">;

/** Where the person is with the answer. */
export interface QuestionState {
  /** The entry that Enter chooses. None once the person was busy with something else: that Enter is not for us. */
  readonly selected: number | undefined;
  /** Whether the person has called for the question in the middle of a message. */
  readonly summoned: boolean;
  /** A letter that answers, unless it turns out to be the beginning of a message. */
  readonly begun: string;
  /** The amount that is being typed, if one is. */
  readonly field: TextField | undefined;
  /** The text that was no amount. */
  readonly refused: string | undefined;
}

/** What a key leads to. */
export type Pressed =
  | { readonly kind: "taken"; readonly state: QuestionState }
  /** The key is not for the question, and goes on; `before` is to be typed first. */
  | { readonly kind: "passed"; readonly state: QuestionState; readonly before: string }
  | { readonly kind: "answered"; readonly reply: Reply };

/** The letter that, with Ctrl, calls for the question in the middle of a message. Pi's editor does not use it. */
export const SUMMONS = "r";

const UNTOUCHED: QuestionState = {
  selected: undefined,
  summoned: false,
  begun: "",
  field: undefined,
  refused: undefined,
};

/** The state when the question appears. Enter is a yes only for a person who was not typing. */
export function asked(focus: Focus): QuestionState {
  return focus === "empty editor" ? { ...UNTOUCHED, selected: 0 } : UNTOUCHED;
}

/** Does the question get the keys? */
export function hasKeys({ summoned }: QuestionState, focus: Focus): boolean {
  return focus === "empty editor" || (focus === "editor" && summoned);
}

/** What a key leads to: it answers, it is taken, or it goes on to where the person is. */
export function press(state: QuestionState, key: KeyPress, focus: Focus, question: Answerable): Pressed {
  if (key.phase === "released") return passed(state);
  if (!hasKeys(state, focus)) {
    const isSummons = focus === "editor" && key.control === SUMMONS;
    return isSummons ? taken({ ...UNTOUCHED, selected: 0, summoned: true }) : passed(UNTOUCHED);
  }
  if (state.field) return pressInField(state, state.field, key, question);
  // Before Enter: a line feed is the key of both, and Pi's editor takes it for a new line.
  if (key.is("tui.input.newLine")) return { kind: "passed", state: UNTOUCHED, before: state.begun };
  if (state.begun !== "") return pressAfterLetter(state, key, focus, question);
  if (key.is("tui.select.cancel")) return answered(false);
  if (key.is("tui.select.up")) return taken(moved(state, -1, question));
  if (key.is("tui.select.down")) return taken(moved(state, 1, question));
  if (key.is("tui.select.confirm")) return key.phase === "held" ? taken(state) : choose(state, question);
  const reply = replyOf(key.letter);
  if (reply !== undefined) return taken({ ...state, begun: key.text, selected: indexOf(reply, question) });
  return key.text !== "" || key.pasted ? passed(UNTOUCHED) : passed(state);
}

/** The answer that a letter has begun, if no message follows. */
export function begunReply({ begun }: QuestionState): Reply | undefined {
  return replyOf(begun.toLowerCase());
}

function replyOf(letter: string): boolean | undefined {
  return letter === "y" ? true : letter === "n" ? false : undefined;
}

function pressAfterLetter(state: QuestionState, key: KeyPress, focus: Focus, question: Answerable): Pressed {
  if (key.is("tui.select.confirm")) return answered(begunReply(state) ?? false);
  if (key.text !== "" || key.pasted) return { kind: "passed", state: UNTOUCHED, before: state.begun };
  const without = { ...state, begun: "" };
  return key.is("tui.editor.deleteCharBackward") ? taken(without) : press(without, key, focus, question);
}

function pressInField(
  state: QuestionState,
  field: TextField,
  key: KeyPress,
  { parseAmount }: Answerable,
): Pressed {
  if (key.text === "" && key.is("tui.select.cancel"))
    return taken({ ...state, field: undefined, refused: undefined });
  if (key.text !== "" || !key.is("tui.select.confirm")) {
    const edited = editedBy(key, field);
    return edited === field ? passed(state) : taken({ ...state, field: edited });
  }
  const text = textOf(field);
  const more = parseAmount(text.trim());
  return more === undefined ? taken({ ...state, field: fieldWith(""), refused: text }) : answered({ more });
}

function choose(state: QuestionState, { entries }: Answerable): Pressed {
  const entry = state.selected === undefined ? undefined : entries[state.selected];
  if (!entry) return passed(state);
  return entry.reply === undefined ? taken({ ...state, field: fieldWith("") }) : answered(entry.reply);
}

function moved(state: QuestionState, by: 1 | -1, { entries }: Answerable): QuestionState {
  const last = entries.length - 1;
  // Where nothing is marked, the same keys mean the same as where the first entry is.
  const from = state.selected ?? 0;
  return { ...state, selected: Math.max(0, Math.min(last, from + by)) };
}

function indexOf(reply: boolean, { entries }: Answerable): number {
  return entries.findIndex((entry) => entry.reply === reply);
}

function taken(state: QuestionState): Pressed {
  return { kind: "taken", state };
}

function passed(state: QuestionState): Pressed {
  return { kind: "passed", state, before: "" };
}

function answered(reply: Reply): Pressed {
  return { kind: "answered", reply };
}
