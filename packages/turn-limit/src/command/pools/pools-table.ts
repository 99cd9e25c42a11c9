import { isReached } from "../../core/limits/boundary.ts";
import { builtIn } from "../../core/limits/kinds.ts";
import { DURATION } from "../../core/text/amounts.ts";
import { countOf } from "../../core/text/number-text.ts";
import { measureCalled } from "../../pools/listing/typed-replies.ts";
import { amountText, inOrder, maxText } from "../pool-measures.ts";
import { beginningOf, type Line, line, type Row, type Span, type Style, table } from "./lines.ts";
import { knownUse, type MemberView, type PoolView, type Use } from "./pool-view.ts";
import { openQuestions, questionsTable, shortId } from "./questions-table.ts";

/** Pools with their members: a column for each thing that one of them limits. */
export function poolsTable(pools: readonly PoolView[], width: number): Line[] {
  if (pools.length === 0) return [line("No pools yet.", "dim")];
  const measured = inOrder(pools.flatMap(({ use }) => Object.keys(use)));
  const limited = measured.filter((measure) => pools.some(({ use }) => mayHold(use[measure])));
  const measures = limited.length > 0 ? limited : measured;
  const tools = measures.filter((measure) => toolOf(measure) !== undefined);
  const columns = measures.filter((measure) => !tools.includes(measure));
  const headings = ["POOL", "AGENTS", ...columns.map((name) => name.toUpperCase())];
  if (tools.length > 0) headings.push("TOOL CALLS");
  const rows = pools.flatMap((pool) => rowsOf(pool, columns, tools));
  return table(headings, rows, width);
}

/** The same, with the runs and the open questions below it. */
export function poolsOverview(pools: readonly PoolView[], runs: readonly PoolView[], width: number): Line[] {
  const ofRuns = runs.length > 0 ? [[], line("Runs", "bold"), ...runsTable(runs, width)] : [];
  const lines = [...(pools.length > 0 || runs.length === 0 ? poolsTable(pools, width) : []), ...ofRuns];
  const questions = openQuestions([...pools, ...runs]);
  if (questions.length === 0) return lines;
  return [...lines, [], line("Open questions", "bold"), ...questionsTable(questions, width)];
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
  for (const { name, id, used } of present) rows.push(memberRow(shortId(name || id), used));
  if (left.length > 0) rows.push(memberRow(`${countOf(left.length, "agent")} that left`, sumOf(left), "dim"));
  return rows;
}

/** Runs: what they are, what they do, and what they have used. */
export function runsTable(runs: readonly PoolView[], width: number): Line[] {
  const measures = inOrder(runs.flatMap(({ use }) => Object.keys(use)));
  const limited = measures.filter((measure) => runs.some(({ use }) => isLimited(measure, use[measure])));
  const headings = ["RUN", "ID", "STATE", "IDLE", "MODEL", ...limited.map((name) => name.toUpperCase())];
  const rows = runs.map((each): Row => {
    const { id, run, use, now, frozen } = each;
    const { name = "", state = "", active = now, model } = run ?? {};
    const idle = DURATION.show(Math.max(0, Date.parse(now) - Date.parse(active)));
    const shown = { text: frozen ? "frozen" : state, style: frozen ? ("cyan" as const) : undefined };
    const cells = limited.map((measure) => useCell(measure, use[measure]));
    return { cells: [name, shortId(id), shown, idle, model ?? "", ...cells] };
  });
  return table(headings, rows, width);
}

// What no pool limits is shown with each of them.
function mayHold(use: Use | undefined): boolean {
  return use !== undefined && use.max !== "unlimited";
}

// What a pool measures and does not limit is shown with the pool.
function isLimited(limit: string, use: Use | undefined): boolean {
  return use != null && use.max !== null && (use.max !== "unlimited" || measureCalled(limit) === limit);
}

/** How long it has been frozen, and why. */
function frozenText({ frozen, now }: PoolView): string {
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
function usedText(measure: string, used: number | undefined): string {
  return used === undefined ? "" : amountText(measure, used);
}

function useCell(measure: string, use: Use | undefined): Span {
  return { text: useText(measure, use), style: use && styleOf(use) };
}

const NEARLY = 0.8;

/** Red if nothing is left, yellow if little is. */
function styleOf({ used, max }: Use): Style | undefined {
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

/** What there is to know about a run besides its limits. */
function aboutRun({ run, id, now }: PoolView): Line[] {
  if (!run) return [];
  const { agent, folder, host, model, state, since, active } = run;
  const ago = (moment: string) => DURATION.show(Math.max(0, Date.parse(now) - Date.parse(moment)));
  const place = [folder, host && `on ${host}`].filter(Boolean).join(" ");
  return [
    line([agent, place && `in ${place}`, model].filter(Boolean).join(" · ")),
    line(`${state} · began ${ago(since)} ago · last active ${ago(active)} ago · ${id}`, "dim"),
  ];
}

/** Everything about one pool: each limit, each member, each open question. */
export function poolDetails(pool: PoolView, width: number): Line[] {
  const state = [pool.run ? "" : countOf(pool.agents, "agent"), frozenText(pool)]
    .filter((part) => part !== "")
    .join(" · ");
  const title = line(beginningOf(pool.run?.name ?? pool.record), "bold");
  const sections: Line[][] = [[title, ...aboutRun(pool), line(state)].filter((one) => one.length > 0)];
  const useRows = knownUse(pool).map(([measure, use]): Row => {
    const { used, held, max, extra } = use;
    const left =
      max === null || max === "unlimited" ? "" : amountText(measure, Math.max(0, max - used - held));
    return {
      cells: [
        measure,
        { text: amountText(measure, used, max ?? undefined), style: styleOf(use) },
        held === 0 ? "" : amountText(measure, held),
        max === null ? "" : maxText(measure, max),
        left,
        extra === 0 ? "" : maxText(measure, extra),
      ],
    };
  });
  if (useRows.length > 0)
    sections.push(table(["LIMIT", "USED", "HELD", "MAX", "LEFT", "OF IT ADDED"], useRows, width));
  const measures = inOrder(pool.members.flatMap(({ used }) => Object.keys(used)));
  const memberRows = pool.members.map(({ name, id, present, used }): Row => {
    const amounts = measures.map((measure) => usedText(measure, used[measure]));
    return { cells: [name, id, present ? "" : "left", ...amounts], style: present ? undefined : "dim" };
  });
  const headings = ["MEMBER", "ID", "", ...measures.map((measure) => measure.toUpperCase())];
  if (memberRows.length > 0 && !pool.run) sections.push(table(headings, memberRows, width));
  const questions = openQuestions([pool]);
  if (questions.length > 0) sections.push(questionsTable(questions, width));
  return sections.flatMap((lines, place) => (place === 0 ? lines : [[], ...lines]));
}
