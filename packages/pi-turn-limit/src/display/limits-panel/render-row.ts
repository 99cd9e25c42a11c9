import { cut, padEnd, padStart, shorten, widthOf } from "../../core.ts";
import type { ScreenTheme } from "../screen.ts";
import { bar as blocks, percentOf, urgencyOf } from "../share.ts";
import { type TextField, viewOf } from "../text-field.ts";
import type { LimitRow } from "./limit-rows.ts";

/** The column for the mark of the selected row. */
export const MARGIN = 2;
/** What separates two columns. */
export const GAP = "  ";

const WIDEST_LABEL = 24;
const NARROWEST_LABEL = 6;
const WIDEST_BAR = 20;
const NARROWEST_BAR = 8;

/** How wide each column is; 0 if there is no room for it. */
export interface Columns {
  readonly label: number;
  readonly bar: number;
  /** The widest of `used`, which is aligned at the slash. */
  readonly used: number;
  readonly count: number;
  readonly percent: number;
  readonly policy: number;
  readonly source: number;
}

/** Shares out the width. Where it is narrow the bar gets shorter, then the source goes, then the policy, then the bar. */
export function columnsIn(rows: readonly LimitRow[], width: number): Columns {
  const widest = (text: (row: LimitRow) => string) => Math.max(0, ...rows.map((row) => widthOf(text(row))));
  const used = widest((row) => row.used);
  const wantedCount = used + 1 + widest((row) => row.max);

  let room = Math.max(0, width - MARGIN);
  const besideCount = Math.max(NARROWEST_LABEL, room - GAP.length - wantedCount);
  const label = Math.min(
    room,
    besideCount,
    WIDEST_LABEL,
    widest((row) => row.label),
  );
  room -= label;
  const take = (wanted: number, least = wanted) => {
    const most = Math.min(wanted, room - GAP.length);
    if (wanted === 0 || most < least) return 0;
    room -= most + GAP.length;
    return most;
  };
  const count = take(wantedCount);
  const percent = take(widest((row) => percentOf(row.share)));
  const hasBar = rows.some(({ share }) => share !== undefined);
  const forBar = hasBar ? GAP.length + NARROWEST_BAR : 0;
  const takeBeside = (wanted: number) => (room - forBar < GAP.length + wanted ? 0 : take(wanted));
  const policy = takeBeside(widest((row) => row.policy));
  const source = takeBeside(widest((row) => row.source));
  const bar = hasBar ? take(WIDEST_BAR, NARROWEST_BAR) : 0;
  return { label, bar, used, count, percent, policy, source };
}

/** Do the columns leave out a part of a limit? */
export function leaveOut({ label, policy, source }: Columns, rows: readonly LimitRow[]): boolean {
  return rows.some(
    (row) =>
      row.file !== "" ||
      widthOf(row.label) > label ||
      widthOf(row.source) > source ||
      widthOf(row.policy) > policy,
  );
}

const WIDEST_FIELD = 40;
const EIGHTHS = 8;
/** Tells Pi where the cursor is, for input methods; it takes no column. */
const CURSOR = "\x1b_pi:c\x07";

/** A limit on one line: its name, a bar, the numbers, and where they came from. */
export function renderRow(row: LimitRow, columns: Columns, theme: ScreenTheme, selected = false): string {
  if (row.isOffer) return label(row, columns, theme, selected);
  const urgency = urgencyOf(row.share);
  const loud = urgency === "success" ? "text" : urgency;
  const used = padStart(row.used, columns.used);
  const cells: [width: number, cell: string][] = [
    [columns.bar, barOf(row.share, columns.bar, theme)],
    [columns.count, theme.fg(loud, padEnd(row.isSwitch ? row.max : `${used}/${row.max}`, columns.count))],
    [columns.percent, theme.fg(loud, padStart(percentOf(row.share), columns.percent))],
    [columns.policy, theme.fg("muted", padEnd(row.policy, columns.policy))],
    [columns.source, theme.fg("dim", row.source)],
  ];
  const shown = cells.filter(([width]) => width > 0).map(([, cell]) => GAP + cell);
  return label(row, columns, theme, selected) + shown.join("");
}

/** An agent that took some of a limit, below its row. */
export function renderAgent(
  { name, used }: LimitRow["agents"][number],
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
