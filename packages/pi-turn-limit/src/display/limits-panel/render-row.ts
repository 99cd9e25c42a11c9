import { cut, padEnd, padStart, shorten, widthOf } from "../../core.ts";
import type { ScreenTheme } from "../screen.ts";
import { bar as blocks, percentOf, urgencyOf } from "../share.ts";
import { type TextField, viewOf } from "../text-field.ts";
import { type Columns, GAP } from "./columns.ts";
import type { LimitRow } from "./limit-row.ts";

const WIDEST_FIELD = 40;
const EIGHTHS = 8;
/** Tells Pi where the cursor is, for input methods; it takes no column. */
const CURSOR = "\x1b_pi:c\x07";

/** A limit on one line: its name, a bar, the numbers, and where they came from. */
export function renderRow(row: LimitRow, columns: Columns, theme: ScreenTheme, selected = false): string {
  const urgency = urgencyOf(row.share);
  const loud = urgency === "success" ? "text" : urgency;
  const used = padStart(row.used, columns.used);
  const cells: [width: number, cell: string][] = [
    [columns.bar, barOf(row.share, columns.bar, theme)],
    [columns.count, theme.fg(loud, padEnd(`${used}/${row.max}`, columns.count))],
    [columns.percent, theme.fg(loud, padStart(percentOf(row.share), columns.percent))],
    [columns.policy, theme.fg("muted", padEnd(row.policy, columns.policy))],
    [columns.source, theme.fg("dim", shorten(row.source, columns.source))],
  ];
  const shown = cells.filter(([width]) => width > 0).map(([, cell]) => GAP + cell);
  return label(row, columns, theme, selected) + shown.join("");
}

/** An agent that took some of a limit, below its row. */
export function renderAgent(
  { name, used }: NonNullable<LimitRow["agents"]>[number],
  width: number,
  theme: ScreenTheme,
): string {
  return theme.fg("muted", cut(`${GAP}${shorten(name, WIDEST_FIELD)}${GAP}${used}`, width));
}

/** A limit that is being edited: its name, and a field instead of the rest. */
export function renderField(
  row: LimitRow,
  field: TextField,
  columns: Columns,
  width: number,
  theme: ScreenTheme,
  focused: boolean,
): string {
  const room = Math.min(WIDEST_FIELD, width - columns.label - GAP.length);
  if (room < 2) return label(row, columns, theme, true);
  const { before, cursor, after } = viewOf(field, room);
  const rest = padEnd(after, room - widthOf(before) - widthOf(cursor));
  const text = `${field.selected ? theme.inverse(before) : before}${focused ? CURSOR : ""}${theme.inverse(cursor)}${rest}`;
  return label(row, columns, theme, true) + GAP + theme.bg("selectedBg", text);
}

function label(row: LimitRow, columns: Columns, theme: ScreenTheme, selected: boolean): string {
  const name = padEnd(cut(row.label, columns.label), columns.label);
  return selected ? theme.fg("accent", theme.bold(name)) : theme.fg("text", name);
}

function barOf(share: number | undefined, width: number, theme: ScreenTheme): string {
  if (share === undefined || width === 0) return " ".repeat(width);
  // Full only at the limit.
  const most = share < 1 ? 1 - 1 / (width * EIGHTHS) : 1;
  const filled = blocks(Math.min(Math.max(share, 0), most), width);
  const track = " ".repeat(width - filled.length);
  return theme.bg("selectedBg", theme.fg(urgencyOf(share), filled) + track);
}
