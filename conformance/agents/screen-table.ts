import { table } from "../markdown-table.ts";
import type { ScreenRow, ScreenSeen } from "./screen-trial.ts";

const HEADINGS = ["agent", "limiter", "turns", "the screen says", "turns after yes"];

/** What was seen on the screens of the agents as a Markdown table. */
export function screenSection(rows: readonly ScreenRow[]): string {
  const lines = rows.map(({ competitor, limiter: { limiter, ours }, seen }) => [
    competitor.name,
    ours ? `**${limiter}**` : limiter,
    ...cells(seen),
  ]);
  return [`### Agents: ${rows[0]?.trial.name}`, "", ...table([HEADINGS, ...lines])].join("\n");
}

function cells(seen: ScreenSeen | string): string[] {
  if (typeof seen === "string") return ["–", seen, "–"];
  const { turns, shown, afterYes } = seen;
  return [`${turns}`, shown ?? "nothing of a limit", `${afterYes ?? "–"}`];
}
