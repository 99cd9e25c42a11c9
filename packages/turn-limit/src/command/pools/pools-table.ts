import { isReached } from "../../core/limits/boundary.ts";
import { builtIn } from "../../core/limits/kinds.ts";
import { DURATION } from "../../core/text/amounts.ts";
import { countOf } from "../../core/text/number-text.ts";
import { amountText, inOrder, maxText } from "../measures.ts";
import { type Line, line, type Row, type Span, type Style, table } from "./lines.ts";
import type { MemberView, PoolView, Use } from "./pool-view.ts";

/** Pools with their members: a column for each thing that one of them measures. */
export function poolsTable(pools: readonly PoolView[], width: number): Line[] {
  if (pools.length === 0) return [line("No pools yet.", "dim")];
  const measures = inOrder(pools.flatMap(({ use }) => Object.keys(use)));
  const tools = measures.filter((measure) => toolOf(measure) !== undefined);
  const columns = measures.filter((measure) => !tools.includes(measure));
  const headings = ["POOL", "AGENTS", ...columns.map((name) => name.toUpperCase())];
  if (tools.length > 0) headings.push("TOOL CALLS");
  const rows = pools.flatMap((pool) => rowsOf(pool, columns, tools));
  return table(headings, rows, width);
}

function rowsOf(pool: PoolView, columns: readonly string[], tools: readonly string[]): Row[] {
  const { record, agents, use, members, frozen } = pool;
  const cells = columns.map((measure) => useCell(measure, use[measure]));
  const calls = tools.filter((tool) => use[tool]).map((tool) => toolText(tool, useText(tool, use[tool])));
  const rows: Row[] = [
    { cells: [{ text: record, style: "bold" }, String(agents), ...cells, calls.join(" · ")] },
  ];
  if (frozen) rows.push({ cells: [`  ${frozenText(pool)}`], style: "cyan" });
  const present = members.filter(({ present }) => present);
  const left = members.filter(({ present }) => !present);
  const memberRow = (name: string, used: MemberView["used"], style?: Style): Row => {
    const amounts = columns.map((measure) => usedText(measure, used[measure]));
    const calls = tools
      .filter((tool) => used[tool])
      .map((tool) => toolText(tool, usedText(tool, used[tool])));
    return { cells: [`  ${name}`, "", ...amounts, calls.join(" · ")], style };
  };
  rows.push(...present.map(({ name, id, used }) => memberRow(shortId(name || id), used)));
  if (left.length > 0) rows.push(memberRow(`${countOf(left.length, "agent")} that left`, sumOf(left), "dim"));
  return rows;
}

/** How long it has been frozen, and why. */
export function frozenText({ frozen, now }: PoolView): string {
  if (!frozen) return "";
  const since = DURATION.show(Math.max(0, Date.parse(now) - Date.parse(frozen.at)));
  return `frozen ${since} ago${frozen.why === "" ? "" : `: ${frozen.why}`}`;
}

/** What is used, and of how much: `$1.42/$5.00`. */
function useText(measure: string, use: Use | undefined): string {
  if (!use) return "";
  const { used, max } = use;
  if (max === null) return amountText(measure, used);
  return `${amountText(measure, used, max)}/${maxText(measure, max)}`;
}

/** What is used; nothing if it is not measured. */
export function usedText(measure: string, used: number | undefined): string {
  return used === undefined ? "" : amountText(measure, used);
}

function useCell(measure: string, use: Use | undefined): Span {
  return { text: useText(measure, use), style: use && styleOf(use) };
}

const NEARLY = 0.8;

/** Red if nothing is left, yellow if little is. */
export function styleOf({ used, max }: Use): Style | undefined {
  if (max === null || max === "unlimited") return undefined;
  if (isReached(used, max)) return "red";
  return used >= NEARLY * max ? "yellow" : undefined;
}

function toolOf(measure: string): string | undefined {
  return builtIn(measure)?.tool;
}

function toolText(measure: string, amount: string): string {
  return `${toolOf(measure)} ${amount}`;
}

function sumOf(members: readonly MemberView[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { used } of members)
    for (const [measure, amount] of Object.entries(used)) sum[measure] = (sum[measure] ?? 0) + amount;
  return sum;
}

const UUID = /^[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)/;

/** The first part of a UUID, which is enough to answer a question. Other names stay whole. */
export function shortId(id: string): string {
  return UUID.exec(id)?.[0] ?? id;
}
