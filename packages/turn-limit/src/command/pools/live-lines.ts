import { countOf } from "../../core/text/number-text.ts";
import { fitted, type Line, line } from "./lines.ts";
import type { PoolView } from "./pool-view.ts";
import { poolsTable, runsTable } from "./pools-table.ts";
import { isSame, type OpenQuestion, openQuestions, questionsTable } from "./questions-table.ts";

/** What the live table shows. */
export interface LiveView {
  /** Where the pools are. */
  place: string;
  pools: readonly PoolView[];
  runs: readonly PoolView[];
  /** The question that y and n answer. */
  chosen?: OpenQuestion | undefined;
  /** What came of the last key. */
  message?: string | undefined;
  /** Why the store could not be read, as long as that is so. */
  problem?: string | undefined;
}

interface Size {
  columns: number;
  rows: number;
}

/** The whole screen: the pools, below them the open questions and what the keys do. */
export function liveLines(view: LiveView, { columns, rows }: Size): Line[] {
  // The last column stays free: some terminals go on in the next line after it.
  const width = columns - 1;
  const { place, pools, runs, chosen } = view;
  const questions = openQuestions([...pools, ...runs]);
  const bottom = [
    ...questionLines(questions, chosen, width, Math.floor(rows / 2)),
    [],
    lastLine(view, questions),
  ];
  const title: Line = [
    { text: "Pools", style: "bold" },
    { text: ` in ${place}`, style: "dim" },
  ];
  // Each takes a line or more, so no more of them can be seen.
  const visible = pools.slice(0, rows);
  const hidden = pools.length - visible.length;
  const visibleRuns = runs.slice(0, rows);
  const ofRuns = runs.length > 0 ? [[], line("Runs", "bold"), ...runsTable(visibleRuns, width)] : [];
  const ofPools = pools.length > 0 || runs.length === 0 ? poolsTable(visible, width) : [];
  const top = [title, [], ...firstOf([...ofPools, ...ofRuns], hidden, rows - bottom.length - 2)];
  return [...top, ...bottom].slice(-rows).map((spans) => fitted(spans, width));
}

function questionLines(
  questions: readonly OpenQuestion[],
  chosen: OpenQuestion | undefined,
  width: number,
  room: number,
): Line[] {
  const [headings, ...rows] = questionsTable(questions, width, chosen);
  if (!headings || rows.length === 0) return [];
  const shown = Math.max(1, room - 4);
  const place = questions.findIndex((question) => isSame(question, chosen));
  const first = Math.max(0, place - shown + 1);
  const hidden = rows.length - shown;
  const title = hidden > 0 ? `Open questions (${rows.length})` : "Open questions";
  return [[], line(title, "bold"), headings, ...rows.slice(first, first + shown)];
}

function lastLine({ problem, message, chosen }: LiveView, questions: readonly OpenQuestion[]): Line {
  if (problem !== undefined) return line(problem, "red");
  if (message !== undefined) return line(message, "yellow");
  if (chosen) return line("y yes · n no · ↑↓ choose another · q quit", "dim");
  return line(questions.length > 0 ? "↑↓ choose a question · q quit" : "q quit", "dim");
}

function firstOf(lines: readonly Line[], hiddenPools: number, room: number): Line[] {
  if (lines.length <= room && hiddenPools === 0) return [...lines];
  const shown = Math.max(0, Math.min(lines.length, room - 1));
  const more = [
    countOf(lines.length - shown, "more line"),
    ...(hiddenPools > 0 ? [countOf(hiddenPools, "more pool")] : []),
  ];
  return [...lines.slice(0, shown), line(`… ${more.join(" and ")}`, "dim")];
}
