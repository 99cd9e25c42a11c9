import type { Interval } from "./statistics.ts";

/** One line of the report. */
export interface Result {
  what: string;
  /** The measurement to compare with, where there is one. */
  without?: string;
  measured: string;
  /** How the two compare. */
  difference?: string;
  goal?: { text: string; verdict: string };
}

const headings = ["", "without", "with", "difference", "goal", "verdict"];

/** Prints the results as one plain table. */
export function printTable(results: readonly Result[]): void {
  printColumns([headings, ...results.map(cellsOf)]);
}

/** Prints rows of the same number of cells, one below the other. */
export function printColumns(rows: readonly string[][]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
}

export function verdict(met: boolean): string {
  return met ? "met" : "MISSED";
}

/** Does the whole interval say the same about a goal of at most `max`? */
export function verdictOf({ low, high }: Interval, max: number): string {
  if (high <= max) return "shown";
  return low > max ? "REFUTED" : "not shown";
}

/** Does the whole interval say the same about a goal of at least `min`? */
export function verdictOfAtLeast({ low, high }: Interval, min: number): string {
  if (low >= min) return "shown";
  return high < min ? "REFUTED" : "not shown";
}

function cellsOf({ what, without = "", measured, difference = "", goal }: Result): string[] {
  return [what, without, measured, difference, goal?.text ?? "", goal?.verdict ?? ""];
}
