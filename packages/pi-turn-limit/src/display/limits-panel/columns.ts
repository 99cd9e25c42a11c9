import { widthOf } from "../../core.ts";
import { percentOf } from "../share.ts";
import type { LimitRow } from "./limit-row.ts";

/** The column for the mark of the selected row. */
export const MARGIN = 2;
/** What separates two columns. */
export const GAP = "  ";

const WIDEST_LABEL = 24;
const NARROWEST_LABEL = 6;
const WIDEST_BAR = 20;
const NARROWEST_BAR = 8;
const NARROWEST_SOURCE = 12;

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

/** Shares out the width: the source goes first where it is narrow, then the policy, then the bar. */
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
  const bar = rows.some(({ share }) => share !== undefined) ? take(WIDEST_BAR, NARROWEST_BAR) : 0;
  const policy = take(widest((row) => row.policy));
  const wantedSource = widest((row) => row.source);
  const source = take(wantedSource, Math.min(wantedSource, NARROWEST_SOURCE));
  return { label, bar, used, count, percent, policy, source };
}

/** Do the columns leave out a part of where a limit came from? */
export function leaveOut({ policy, source }: Columns, rows: readonly LimitRow[]): boolean {
  return rows.some((row) => widthOf(row.source) > source || widthOf(row.policy) > policy);
}
