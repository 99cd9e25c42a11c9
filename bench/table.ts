/** One line of the report. */
export interface Result {
  what: string;
  /** The measurement to compare with, where there is one. */
  without?: string;
  measured: string;
  /** How the two compare. */
  difference?: string;
  goal?: { text: string; met: boolean };
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

function cellsOf({ what, without = "", measured, difference = "", goal }: Result): string[] {
  return [what, without, measured, difference, goal?.text ?? "", goal ? (goal.met ? "met" : "MISSED") : ""];
}
