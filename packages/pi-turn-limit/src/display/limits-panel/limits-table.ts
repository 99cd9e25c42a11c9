import { oneLine, padEnd, padStart, widthOf } from "../../core.ts";
import { percentOf } from "../share.ts";
import { type LimitRow, originOf } from "./limit-rows.ts";

const GAP = "  ";

/** The limits as plain text, one line each. */
export function limitsTable(rows: readonly LimitRow[], isLastRun: boolean): string {
  const heading = ["Limit", isLastRun ? "Last run" : "Used", "Max", "%", "From"];
  const lines = [heading, ...rows.flatMap((row) => [cellsOf(row), ...agentCellsOf(row)])];
  const widths = heading.map((_, column) => Math.max(...lines.map((cells) => widthOf(cells[column] ?? ""))));
  return lines.map((cells) => cells.map(aligned(widths)).join(GAP).trimEnd()).join("\n");
}

function cellsOf(row: LimitRow): string[] {
  const percent = percentOf(row.share).replace(" %", "") || "–";
  const from = [originOf(row), row.policy].filter((part) => part !== "").join(" · ");
  return [row.label, row.used, row.max, percent, from].map(oneLine);
}

function agentCellsOf({ agents }: LimitRow): string[][] {
  return agents.map(({ name, used }) => [`${GAP}${oneLine(name)}`, used]);
}

function aligned(widths: readonly number[]): (cell: string, column: number) => string {
  return (cell, column) => {
    const pad = column === 0 || column === widths.length - 1 ? padEnd : padStart;
    return pad(cell, widths[column] ?? 0);
  };
}
