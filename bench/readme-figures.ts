import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../scripts/installed-pi.ts";
import type { Section } from "./document.ts";
import { amount } from "./format.ts";
import type { Row } from "./measurement.ts";

const path = join(repository, "README.md");

/** What the README says that turn-limit costs: how its row begins, and the figure that it has from the document. */
const figures: { label: string; title: string; isIt(figure: string): boolean; text(row: Row): string }[] = [
  {
    label: "| a start of Pi takes longer, than with an empty extension, by |",
    title: "Pi's start-up",
    isIt: (figure) => figure.endsWith("from its start to its end"),
    text: ({ now, floor, unit }) => amount(now - (floor?.value ?? Number.NaN), unit),
  },
  {
    label: "| a run of 500 turns in Pi takes longer by |",
    title: "A run in Pi",
    isIt: (figure) => figure === "A run of 500 turns",
    text: ({ timesBase }) => `${(((timesBase?.middle ?? Number.NaN) - 1) * 100).toFixed(1)} %`,
  },
  {
    label: "| a turn of a loop of your own takes longer by |",
    title: "A loop written by hand",
    isIt: (figure) => figure === "A turn of 1,000",
    text: ({ moreThanBase, unit }) => amount(moreThanBase?.middle ?? Number.NaN, unit),
  },
];

/** Puts what was measured anew into the README. */
export function writeReadmeFigures(sections: readonly Section[]): void {
  let text = readFileSync(path, "utf8");
  for (const { label, title, isIt, text: textOf } of figures) {
    const row = sections.find((section) => section.title === title)?.rows.find(({ figure }) => isIt(figure));
    if (row) text = withFigure(text, label, textOf(row));
  }
  writeFileSync(path, text);
}

function withFigure(text: string, label: string, figure: string): string {
  const start = text.indexOf(label);
  if (start < 0) throw new Error(`README.md has no row that begins "${label}"`);
  const end = text.indexOf("\n", start);
  return `${text.slice(0, start)}${label} ${figure} |${text.slice(end)}`;
}
