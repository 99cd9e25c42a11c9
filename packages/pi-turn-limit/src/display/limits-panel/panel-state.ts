import { messageOf } from "../../core.ts";
import type { KeyPress } from "../../person/key-press.ts";
import { asksForHelp } from "../../settings/limit-text.ts";
import { editedBy, fieldWith, selectedField, type TextField, textOf } from "../text-field.ts";
import type { LimitRow, SetByText } from "./limit-rows.ts";

/** What is selected and edited in the panel. */
export interface PanelState {
  /** The key of the selected limit; the first one if there is none of that key. */
  readonly selected: string | undefined;
  /** The text that is being edited, if one is. */
  readonly field: TextField | undefined;
  /** Why the selected limit was not set or saved. */
  readonly refusal: string;
  /** What has been done for the person. */
  readonly notice: string;
  /** Is all shown that can be said? */
  readonly showsHelp: boolean;
  /** What a key is to confirm: that the selected limit shall go, or be saved. */
  readonly asks: "unlimited" | "save" | undefined;
  /** The keys of the limits that the last text set, as long as one of them is selected: they are saved together. */
  readonly setTogether: readonly string[];
}

/** The state with nothing selected yet. */
export const JUST_OPENED: PanelState = {
  selected: undefined,
  field: undefined,
  refusal: "",
  notice: "",
  showsHelp: false,
  asks: undefined,
  setTogether: [],
};

/** The index of the selected limit; -1 if there are none. */
export function selectedIndex(rows: readonly LimitRow[], { selected }: PanelState): number {
  return Math.max(
    rows.findIndex(({ key }) => key === selected),
    Math.min(0, rows.length - 1),
  );
}

/** The limits that are saved: the selected one, with the others that one text set with it. */
export function rowsToSave(rows: readonly LimitRow[], state: PanelState): LimitRow[] {
  const selected = rows[selectedIndex(rows, state)];
  return rows.filter((row) => row === selected || state.setTogether.includes(row.key));
}

/** The state after a key press. */
export function press(state: PanelState, key: KeyPress, rows: readonly LimitRow[]): PanelState | "closed" {
  const index = selectedIndex(rows, state);
  const row = rows[index];
  if (state.asks) return confirm(state, state.asks, key, rows);
  if (state.field === undefined) return choose(state, key, rows, index);
  // The limit may have disappeared while it was being edited.
  if (row === undefined || row.key !== state.selected) return at(row);
  if (key.text === "" && key.is("tui.select.cancel")) return at(row);
  if (key.text === "" && key.is("tui.select.confirm")) return save(state, row, textOf(state.field));
  const field = editedBy(key, state.field);
  return field === state.field ? state : { ...state, field, refusal: "" };
}

function choose(
  state: PanelState,
  key: KeyPress,
  rows: readonly LimitRow[],
  index: number,
): PanelState | "closed" {
  const row = rows[index];
  const last = rows.length - 1;
  if (key.is("tui.select.cancel") || key.letter === "q") return "closed";
  if (key.is("tui.select.up") || key.letter === "k") return at(rows[Math.max(0, index - 1)]);
  if (key.is("tui.select.down") || key.letter === "j") return at(rows[Math.min(last, index + 1)]);
  if (key.is("tui.editor.cursorLineStart") || key.is("tui.select.pageUp")) return at(rows[0]);
  if (key.is("tui.editor.cursorLineEnd") || key.is("tui.select.pageDown")) return at(rows[last]);
  if (row === undefined) return state;
  if (key.is("tui.select.confirm")) return { ...at(row), field: selectedField(row.text) };
  if (row.isOffer) return state;
  if (key.letter === "s") return { ...at(row), asks: "save", setTogether: state.setTogether };
  return key.letter === "u" && !row.isSwitch ? { ...at(row), asks: "unlimited" } : state;
}

// One stray key neither means unlimited nor lasts.
function confirm(
  state: PanelState,
  asks: "unlimited" | "save",
  key: KeyPress,
  rows: readonly LimitRow[],
): PanelState {
  const row = rows[selectedIndex(rows, state)];
  const isYes = key.letter === "y" || key.letter === CONFIRMS[asks];
  const isConfirmed = isYes || key.is("tui.select.confirm");
  if (!row || !isConfirmed) return at(row);
  if (asks === "unlimited") return save(at(row), row, "unlimited");
  const saved = rowsToSave(rows, state).map((one) => one.save());
  const refused = saved.find(({ isSaved }) => !isSaved);
  return refused ? { ...at(row), refusal: refused.text } : { ...at(row), notice: saved[0]?.text ?? "" };
}

const CONFIRMS = { unlimited: "u", save: "s" };

function at(row: LimitRow | undefined): PanelState {
  return { ...JUST_OPENED, selected: row?.key };
}

function save(state: PanelState, row: LimitRow, text: string): PanelState {
  if (asksForHelp(text)) return { ...state, field: fieldWith(""), refusal: "", showsHelp: true };
  const { rows, refusal } = setBy(row, text.trim());
  if (refusal !== undefined) return { ...state, refusal };
  // What was typed may be of another row: `$1 per day` where the cost of a run is.
  const [first = row.key] = rows;
  return { ...at(row), selected: rows.includes(row.key) ? row.key : first, setTogether: rows };
}

// An error here would end Pi.
function setBy(row: LimitRow, text: string): SetByText & { readonly rows?: readonly string[] } {
  try {
    return row.set(text);
  } catch (error) {
    return { refusal: messageOf(error) };
  }
}
