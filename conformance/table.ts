import type { Contender, Seen, Trial } from "./contender.ts";
import { table } from "./markdown-table.ts";

/** One contender in one trial. */
export interface Row {
  trial: Trial;
  contender: Contender;
  /** What was seen, or why the limiter could not be put into the trial. */
  seen: Seen | string;
}

const HEADINGS = ["framework", "limiter", "requests", "tools run", "orphaned calls", "answer", "reason"];

/** The rows of each trial as a Markdown table. */
export function markdown(rows: readonly Row[]): string {
  const trials = [...new Set(rows.map(({ trial }) => trial))];
  return trials
    .map((trial) =>
      section(
        trial,
        rows.filter((row) => row.trial === trial),
      ),
    )
    .join("\n\n");
}

function section(trial: Trial, rows: readonly Row[]): string {
  const lines = rows.map(({ contender, seen }) => {
    const limiter = contender.ours ? `**${contender.limiter}**` : contender.limiter;
    return [contender.framework, limiter, ...cells(seen)];
  });
  return [`### ${capitalised(trial.name)}`, "", ...table([HEADINGS, ...lines])].join("\n");
}

function cells(seen: Seen | string): string[] {
  if (typeof seen === "string") return ["–", "–", "–", "–", seen];
  const { requests, executed, orphans, answer, reason } = seen;
  return [`${requests}`, `${executed}`, `${orphans}`, answer === undefined ? "no" : "yes", reason ?? "none"];
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
