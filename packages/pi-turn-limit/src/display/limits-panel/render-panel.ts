import { cut, flow, listed, oneLine, widthOf, wrap } from "../../core.ts";
import type { ScreenTheme } from "../screen.ts";
import { type LimitRow, originOf } from "./limit-rows.ts";
import { JUST_OPENED, type PanelState, rowsToSave, selectedIndex } from "./panel-state.ts";
import {
  type Columns,
  columnsIn,
  GAP,
  leaveOut,
  MARGIN,
  renderAgent,
  renderField,
  renderRow,
} from "./render-row.ts";

/** How the panel is shown. */
export interface PanelFrame {
  readonly title: string;
  /** How many lines it may take. */
  readonly height: number;
  /** Whether keys go to it. */
  readonly focused: boolean;
}

const FEWEST_ROWS = 3;
/** Of more agents than that, the panel shows the latest. */
const MOST_AGENTS = 5;
const MARK = "→ ";
const UNLIMITED = "No limit at all? y, u or Enter confirms, any other key keeps it.";
const WHOLE: PanelFrame = { title: "Limits", height: Number.POSITIVE_INFINITY, focused: true };

/** Draws the panel; no line is wider than `width`. */
export function renderPanel(
  given: readonly LimitRow[],
  wanted: PanelState,
  width: number,
  theme: ScreenTheme,
  frame: PanelFrame = WHOLE,
): string[] {
  const rows = given.map(onOneLine);
  const columns = columnsIn(rows, width);
  const index = selectedIndex(rows, wanted);
  const selected = rows[index];
  // The limit may have disappeared while it was being edited.
  const state = selected?.key === wanted.selected ? wanted : JUST_OPENED;

  const head = (title: string) => [theme.fg("border", "─".repeat(width)), title, ""];
  const foot = [
    "",
    ...origin(selected, columns, rows, width, theme),
    ...help(selected, state, width).map((line) => theme.fg("dim", line)),
    theme.fg("border", "─".repeat(width)),
  ];
  const question = questionOf(rows, state);
  const below = messages(selected, state, question, columns, width, theme);
  const agents = rows.flatMap((row) => row.agents).length;
  const room = Math.max(FEWEST_ROWS, frame.height - head("").length - below.length - foot.length - agents);
  const top = Math.max(0, Math.min(index - Math.floor(room / 2), rows.length - room));

  const lines = rows.slice(top, top + room).flatMap((row) => {
    const agents = row.agents.map(
      (agent) => blank(MARGIN, width) + renderAgent(agent, width - MARGIN, theme),
    );
    if (row !== selected) return [blank(MARGIN, width) + renderRow(row, columns, theme), ...agents];
    const mark = theme.fg("accent", cut(MARK, width));
    const line = state.field
      ? renderField(row, state.field, columns, width - MARGIN, theme, frame.focused)
      : renderRow(row, columns, theme, true);
    return [mark + line, ...below, ...agents];
  });
  const position = rows.length > room ? `${index + 1} of ${rows.length}` : "";
  return [...head(titleLine(frame.title, position, width, theme)), ...orNone(lines, width, theme), ...foot];
}

function titleLine(title: string, position: string, width: number, theme: ScreenTheme): string {
  const name = cut(oneLine(title), width);
  const rest = cut(position === "" ? "" : `${GAP}${position}`, width - widthOf(name));
  return theme.fg("accent", theme.bold(name)) + theme.fg("dim", rest);
}

function orNone(lines: readonly string[], width: number, theme: ScreenTheme): readonly string[] {
  return lines.length > 0 ? lines : [theme.fg("muted", cut("No limits.", width))];
}

/** What a key is to confirm, with what would be saved: that may be of another row than was typed in. */
function questionOf(rows: readonly LimitRow[], state: PanelState): string | undefined {
  if (state.asks !== "save") return state.asks && UNLIMITED;
  const texts = rowsToSave(rows, state).map(({ text }) => oneLine(text));
  return `Save ${listed(texts, "and")} for all sessions? y, s or Enter confirms, any other key does not.`;
}

/** Under the selected row: why it was refused, what is asked, or what is accepted. */
function messages(
  row: LimitRow | undefined,
  { field, refusal, notice, showsHelp }: PanelState,
  question: string | undefined,
  columns: Columns,
  width: number,
  theme: ScreenTheme,
): string[] {
  const indent = fieldIndent(columns, width);
  const below = (colour: "dim" | "success" | "warning" | "error", text: string) =>
    wrap(oneLine(text), width - indent).map((line) => blank(indent, width) + theme.fg(colour, line));
  if (row === undefined) return [];
  if (refusal !== "") return below("error", refusal);
  if (question !== undefined) return below("warning", question);
  if (notice !== "") return below("success", notice);
  if (showsHelp) return row.help.flatMap((line) => below("dim", line));
  return field ? below("dim", row.examples) : [];
}

function fieldIndent({ label }: Columns, width: number): number {
  const beside = MARGIN + label + GAP.length;
  return width - beside >= width / 2 ? beside : Math.min(MARGIN, width);
}

/** What the columns leave out of the selected limit, if they do not show everything of every limit. */
function origin(
  row: LimitRow | undefined,
  columns: Columns,
  rows: readonly LimitRow[],
  width: number,
  theme: ScreenTheme,
): string[] {
  if (row === undefined || row.isOffer || !leaveOut(columns, rows)) return [];
  const label = widthOf(row.label) > columns.label ? row.label : "";
  const text = [label, `From ${originOf(row)}`, row.policy].filter((part) => part !== "").join(" · ");
  return wrap(text, width).map((line) => theme.fg("muted", line));
}

function help(row: LimitRow | undefined, { field }: PanelState, width: number): string[] {
  if (field) return flow(["Enter sets", "Escape cancels"], " · ", width);
  const ofLimit = ["Enter edits", "u unlimited", "s saves to your settings"];
  const change = row?.isOffer ? ["Enter adds"] : row ? ofLimit : [];
  return flow(["↑↓ move", ...change, "Escape closes"], " · ", width);
}

function blank(columns: number, width: number): string {
  return " ".repeat(Math.min(columns, width));
}

function onOneLine(row: LimitRow): LimitRow {
  return {
    ...row,
    label: oneLine(row.label),
    used: oneLine(row.used),
    max: oneLine(row.max),
    source: oneLine(row.source),
    file: oneLine(row.file),
    policy: oneLine(row.policy),
    agents: row.agents.slice(-MOST_AGENTS).map(({ name, used }) => ({ name: oneLine(name), used })),
  };
}
