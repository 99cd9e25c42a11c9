import { amount, between, goalText, times, verdictText } from "./format.ts";
import type { Row } from "./measurement.ts";

export const headings = [
  "figure",
  "base",
  "floor",
  "build before",
  "now",
  "over the base",
  "times the base",
  "times before",
  "goal",
  "verdict",
];

/** A row in words, one for each heading. */
export function cellsOf(row: Row): string[] {
  const { figure, unit, base, floor, before, now, timesBase, moreThanBase, timesBefore, goal, verdict } = row;
  const named = (of: Row["base"]) => (of ? `${amount(of.value, unit)} (${of.name})` : "");
  return [
    figure,
    named(base),
    named(floor),
    before === undefined ? "" : amount(before, unit),
    amount(now, unit),
    // A sum of rates says nothing.
    moreThanBase && unit !== "per second" ? between(moreThanBase, unit) : "",
    timesBase ? times(timesBase) : "",
    timesBefore ? times(timesBefore) : "",
    goal ? goalText(goal, unit) : "",
    goal && verdict ? verdictText(verdict, goal, unit) : "",
  ];
}

/** Leaves out the columns that no row has anything in. */
export function filledColumns(rows: readonly Row[]): string[][] {
  const cells = rows.map(cellsOf);
  const isFilled = headings.map((_, column) => cells.some((row) => row[column] !== ""));
  return [headings, ...cells].map((row) => row.filter((_, column) => isFilled[column]));
}

/** Prints rows one below the other. */
export function printRows(rows: readonly Row[]): void {
  const lines = filledColumns(rows);
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    const padded = line.map((cell, column) => cell.padEnd(widths?.[column] ?? 0));
    console.log(padded.join("  ").trimEnd());
  }
}
