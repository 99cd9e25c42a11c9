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
  const rows = [headings, ...results.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
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
