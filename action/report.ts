import { amountText } from "../packages/turn-limit/src/command/pool-measures.ts";
import type { RunReport } from "../packages/turn-limit/src/command/run/summary.ts";

/** What later steps of the workflow can read. */
export function outputs(report: RunReport | undefined, exitCode: number): Record<string, string> {
  const { outcome, limited = false, limit, turns = 0, requests = 0, tokens, cost } = report ?? {};
  return {
    outcome: outcome ?? "",
    limited: String(limited),
    limit: (limited ? limit : undefined) ?? "",
    "exit-code": String(exitCode),
    turns: String(turns),
    requests: String(requests),
    tokens: String(tokens ? tokens.input + tokens.output : 0),
    cost: cost === null || cost === undefined ? "" : String(cost),
  };
}

/** A short table for the page of the job. */
export function jobSummary({ text, turns, requests, tokens, cost, time, agent }: RunReport): string {
  const rows = [
    ["Agent", agent.profile ?? "not known"],
    ...(agent.profile === null ? [] : [["Turns", amountText("turns", turns)]]),
    ["Requests", amountText("requests", requests)],
    ["Tokens", amountText("tokens", tokens.input + tokens.output)],
    ["Cost", cost === null ? "not known" : amountText("cost", cost)],
    ["Time", amountText("time", time)],
  ];
  const table = rows.map(([name, value]) => `| ${name} | ${asText(value ?? "")} |\n`).join("");
  return `### turn-limit\n\n${asText(headOf(text))}\n\n| | |\n|---|---|\n${table}\n`;
}

/**
 * The line of a run that a limit ended, or that failed, which the page of the job shows on top. `lastLine`: what was said
 * last, where there is no report because the run could not be started.
 */
export function annotation(
  kind: "error" | "warning",
  report: RunReport | undefined,
  lastLine: string,
): string {
  if (!report) return command(kind, "turn-limit could not start the run", lastLine);
  return command(kind, report.limited ? "A limit ended the run" : "The run failed", report.text);
}

/** How the run ended, without the amounts. */
function headOf(text: string): string {
  return text.split(" · ")[0] ?? text;
}

// What a runner would read as a part of its command is written in its own way.
function command(kind: string, title: string, message: string): string {
  const data = message.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  return `::${kind} title=${title}::${data}`;
}

/** Names of models and tools may have characters that Markdown gives a meaning. */
function asText(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|#]/g, "\\$&");
}
