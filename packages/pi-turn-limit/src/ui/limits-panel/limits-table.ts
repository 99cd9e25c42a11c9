import { percentOf } from "../share.ts";
import { oneLine, padEnd, padStart, widthOf } from "../text-width.ts";
import type { LimitRow } from "./limit-row.ts";

const GAP = "  ";

/** The limits as plain text, one line each. */
export function limitsTable(rows: readonly LimitRow[], isLastRun: boolean): string {
  const heading = ["Limit", isLastRun ? "Last run" : "Used", "Max", "%", "From"];
  const lines = [heading, ...rows.map(cellsOf)];
  const widths = heading.map((_, column) => Math.max(...lines.map((cells) => widthOf(cells[column] ?? ""))));
  return lines.map((cells) => cells.map(aligned(widths)).join(GAP).trimEnd()).join("\n");
}

function cellsOf(row: LimitRow): string[] {
  const percent = percentOf(row.share).replace(" %", "") || "–";
  const from = [row.source, row.policy].filter((part) => part !== "").join(" · ");
  return [row.label, row.used, row.max, percent, from].map(oneLine);
}

function aligned(widths: readonly number[]): (cell: string, column: number) => string {
  return (cell, column) => {
    const pad = column === 0 || column === widths.length - 1 ? padEnd : padStart;
    return pad(cell, widths[column] ?? 0);
  };
}
