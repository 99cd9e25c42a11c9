import { formatDollars, formatTokens } from "../limits/amounts.ts";
import { countOf, dollars, tokens, whole } from "../limits/number-text.ts";
import { bar, precisePercentOf } from "../ui/share.ts";
import type { CandidateLimit, Spread, Summary } from "./summary.ts";

const BAR_COLUMNS = 44;

/** The summary for a person, in lines of at most 80 columns. */
export function report(summary: Summary): string {
  if (summary.prompts === 0) {
    return [`No prompts yet.`, `Looked in ${summary.folder}`, ...remarks(summary)].join("\n");
  }
  return [
    `${countOf(summary.prompts, "prompt")} in ${countOf(summary.sessions, "session")}`,
    ...remarks(summary),
    "",
    ...spreads(summary),
    "",
    "Turns per prompt",
    ...histogram(summary),
    "",
    "A turn limit of   would have stopped",
    ...summary.limits.map(limitLine),
    "",
    "At most this share would have been stopped by a limit of",
    fitting(summary, "p90", "10 %"),
    fitting(summary, "p99", "1 %"),
    "",
    advice(summary),
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

function spreads(summary: Summary): string[] {
  const line = (name: string, spread: Spread | undefined, format: (value: number) => string) =>
    spread
      ? row(name, [spread.median, spread.p90, spread.p99, spread.max].map(format))
      : row(name, ["-", "-", "-", "-"]);
  return [
    row("Per prompt", ["median", "p90", "p99", "max"]),
    line("Turns", summary.turns, whole),
    line("Steps", summary.steps, whole),
    line("Tokens", summary.tokens, tokens),
    line("  and cached", summary.cacheTokens, tokens),
    line("Dollars", summary.dollars, dollars),
  ];
}

function row(name: string, cells: readonly string[]): string {
  return name.padEnd(14) + cells.map((cell) => cell.padStart(11)).join("");
}

function histogram({ histogram: rows, prompts }: Summary): string[] {
  const most = Math.max(...rows.map((row) => row.prompts));
  return rows.map(({ from, to, prompts: count }) => {
    const range = to === undefined ? `${from}+` : from === to ? `${from}` : `${from}-${to}`;
    const drawn = bar(count / most, BAR_COLUMNS).padEnd(BAR_COLUMNS);
    return `${range.padStart(8)}  ${drawn} ${whole(count).padStart(9)}  ${precisePercentOf(count / prompts).padStart(7)}`;
  });
}

function limitLine({ limit, stopped, share, ...row }: CandidateLimit): string {
  const marks = [...(row.default ? ["the default"] : []), ...(row.covers99 ? ["covers 99 %"] : [])];
  const said = `${whole(limit).padStart(15)}   ${precisePercentOf(share).padStart(7)}  ${countOf(stopped, "prompt").padEnd(18)}`;
  return `${said}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`.trimEnd();
}

/** For each kind of limit the smallest that lets so many prompts finish, in round numbers. */
function fitting({ turns, steps, tokens, dollars }: Summary, part: "p90" | "p99", stopped: string): string {
  const limits = [
    turns && countOf(turns[part], "turn"),
    steps && countOf(Math.max(1, steps[part]), "step"),
    tokens && `${formatTokens(Math.ceil(tokens[part] / 1_000) * 1_000)} tokens`,
    dollars && formatDollars(Math.ceil(dollars[part] * 100) / 100),
  ];
  return `${stopped.padStart(15)}   ${limits.filter((limit) => limit !== undefined).join(" · ")}`;
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
