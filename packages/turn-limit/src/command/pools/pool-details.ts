import { countOf } from "../../core/text/number-text.ts";
import { amountText, inOrder, maxText } from "../measures.ts";
import { type Line, line, type Row, table } from "./lines.ts";
import type { PoolView } from "./pool-view.ts";
import { frozenText, styleOf, usedText } from "./pools-table.ts";
import { openQuestions, questionsTable } from "./questions-table.ts";

/** Everything about one pool: each limit, each member, each open question. */
export function poolDetails(pool: PoolView, width: number): Line[] {
  const state = [countOf(pool.agents, "agent"), frozenText(pool)].filter((part) => part !== "").join(" · ");
  const lines: Line[] = [[{ text: pool.record, style: "bold" }], line(state)];
  const useRows = Object.entries(pool.use).map(([measure, use]): Row => {
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
    lines.push([], ...table(["LIMIT", "USED", "HELD", "MAX", "LEFT", "OF IT ADDED"], useRows, width));
  const measures = inOrder(pool.members.flatMap(({ used }) => Object.keys(used)));
  const memberRows = pool.members.map(({ name, id, present, used }): Row => {
    const amounts = measures.map((measure) => usedText(measure, used[measure]));
    return { cells: [name, id, present ? "" : "left", ...amounts], style: present ? undefined : "dim" };
  });
  const headings = ["MEMBER", "ID", "", ...measures.map((measure) => measure.toUpperCase())];
  if (memberRows.length > 0) lines.push([], ...table(headings, memberRows, width));
  const questions = openQuestions([pool]);
  if (questions.length > 0) lines.push([], ...questionsTable(questions, width));
  return lines;
}
