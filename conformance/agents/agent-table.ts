import { table } from "../markdown-table.ts";
import type { AgentRow, AgentSeen, AgentTrial } from "./agent-contender.ts";

const HEADINGS = ["agent", "limiter", "requests", "tools run", "answer", "exit code", "reason"];

/** What was seen in a trial as a Markdown table. */
export function agentSection(trial: AgentTrial, rows: readonly AgentRow[]): string {
  const lines = rows.filter(isWorthALine).map(({ competitor, limiter: { limiter, ours }, seen }) => {
    return [competitor.name, ours ? `**${limiter}**` : limiter, ...cells(seen)];
  });
  return [`### Agents: ${trial.name}`, "", ...table([HEADINGS, ...lines])].join("\n");
}

// Of our own limits, one is meant for the trial.
function isWorthALine({ limiter, seen }: AgentRow): boolean {
  const isHidden = limiter.ours || limiter.isElsewhereHidden;
  return !(isHidden && typeof seen === "string" && seen.startsWith("does not limit"));
}

function cells(seen: AgentSeen | string): string[] {
  if (typeof seen === "string") return ["–", "–", "–", "–", seen];
  const { requests, executed, answered, exitCode, reason } = seen;
  return [`${requests}`, `${executed}`, answered ? "yes" : "no", `${exitCode ?? "–"}`, reason ?? "none"];
}
