import { countOf, DOLLARS, flow, TOKENS, whole, wrap } from "../core.ts";
import { bar, precisePercentOf } from "../display/share.ts";
import type { CandidateLimit, Spread, Summary } from "./summary.ts";

const WIDEST = 80;
/** What a line of the histogram has besides its bar. */
const BESIDE_THE_BAR = 29;
const LONGEST_BAR = 44;
/** Where the text of a table's line begins. */
const INDENT = 18;

/** The summary for a person, in lines of at most `available` columns, and of 80 where there are more. */
export function report(summary: Summary, available = WIDEST): string {
  const columns = Math.min(available, WIDEST);
  if (summary.prompts === 0) {
    return [`No prompts yet.`, `Looked in ${summary.folder}`, ...remarks(summary)].join("\n");
  }
  const paragraph = (text: string) => wrap(text, columns);
  return [
    `${countOf(summary.prompts, "prompt")} in ${countOf(summary.sessions, "session")}`,
    ...remarks(summary).flatMap(paragraph),
    "",
    ...spreads(summary, columns),
    "",
    "Turns per prompt",
    ...histogram(summary, columns),
    "",
    "A turn limit of   would have stopped",
    ...summary.limits.flatMap((limit) => limitLines(limit, columns)),
    "",
    ...paragraph("At most this share would have been stopped by a limit of"),
    ...fitting(summary, "p90", "10 %", columns),
    ...fitting(summary, "p99", "1 %", columns),
    "",
    ...paragraph(advice(summary)),
  ].join("\n");
}

function remarks({ unanswered, skippedLines, unreadableFiles, unpriced }: Summary): string[] {
  return [
    ...(unanswered > 0 ? [`${countOf(unanswered, "prompt")} without any answer left out`] : []),
    ...(unpriced > 0 ? [`${countOf(unpriced, "prompt")} without a known price left out of the dollars`] : []),
    ...(skippedLines > 0 ? [`${countOf(skippedLines, "broken line")} skipped`] : []),
    ...(unreadableFiles > 0 ? [`${countOf(unreadableFiles, "file")} could not be read`] : []),
  ];
}

function spreads(summary: Summary, columns: number): string[] {
  const cellWidth = Math.min(11, Math.floor((columns - 14) / 4));
  const row = (name: string, cells: readonly string[]) =>
    name.padEnd(14) + cells.map((cell) => cell.padStart(cellWidth)).join("");
  const line = (name: string, spread: Spread | undefined, format: (value: number) => string) =>
    spread
      ? row(
          name,
          [spread.median, spread.p90, spread.p99, spread.max].map((value) => format(value)),
        )
      : row(name, ["-", "-", "-", "-"]);
  return [
    row("Per prompt", ["median", "p90", "p99", "max"]),
    line("Turns", summary.turns, whole),
    line("Steps", summary.steps, whole),
    line("Tokens", summary.tokens, TOKENS.show),
    line("  and cached", summary.cacheTokens, TOKENS.show),
    line("Dollars", summary.dollars, DOLLARS.show),
  ];
}

function histogram({ histogram: rows, prompts }: Summary, columns: number): string[] {
  const longest = Math.max(0, Math.min(LONGEST_BAR, columns - BESIDE_THE_BAR));
  const most = Math.max(...rows.map((row) => row.prompts));
  return rows.map(({ from, to, prompts: count }) => {
    const range = to === undefined ? `${from}+` : from === to ? `${from}` : `${from}-${to}`;
    const drawn = bar(count / most, longest).padEnd(longest);
    return `${range.padStart(8)}  ${drawn} ${whole(count).padStart(9)}  ${precisePercentOf(count / prompts).padStart(7)}`;
  });
}

function limitLines({ limit, stopped, share, ...row }: CandidateLimit, columns: number): string[] {
  const marks = [...(row.default ? ["the default"] : []), ...(row.covers99 ? ["covers 99 %"] : [])];
  const mark = marks.length > 0 ? `(${marks.join(", ")})` : "";
  const said = `${whole(limit).padStart(INDENT - 3)}   ${precisePercentOf(share).padStart(7)}  ${countOf(stopped, "prompt").padEnd(18)}`;
  const line = `${said} ${mark}`.trimEnd();
  return line.length <= columns ? [line] : [said.trimEnd(), " ".repeat(INDENT) + mark];
}

/** For each kind of limit the smallest one, in round numbers, with which this share of the prompts finishes. */
function fitting(
  { turns, steps, tokens, dollars }: Summary,
  part: "p90" | "p99",
  stopped: string,
  columns: number,
): string[] {
  const limits = [
    turns && countOf(turns[part], "turn"),
    steps && countOf(Math.max(1, steps[part]), "step"),
    tokens && `${TOKENS.format(Math.ceil(tokens[part] / 1_000) * 1_000)} tokens`,
    dollars && DOLLARS.format(Math.ceil(dollars[part] * 100) / 100),
  ];
  const set = limits.filter((limit) => limit !== undefined);
  return flow(set, " · ", columns - INDENT).map(
    (line, index) => (index === 0 ? `${stopped}   `.padStart(INDENT) : " ".repeat(INDENT)) + line,
  );
}

function advice({ limits }: Summary): string {
  const usual = limits.find((row) => row.default);
  const covering = limits.find((row) => row.covers99);
  if (!usual || !covering) return "";
  if (usual.stopped === 0)
    return `The default of ${usual.limit} would have stopped none of your prompts: keep it.`;
  if (covering.limit <= usual.limit) {
    return `The default of ${usual.limit} lets 99 % of your prompts finish: keep it.`;
  }
  return `To let 99 % of your prompts finish unasked, use /turn-limit ${covering.limit}.`;
}
