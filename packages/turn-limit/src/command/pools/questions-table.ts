import { momentText } from "../../core/measures/write-moments.ts";
import { DURATION } from "../../core/text/amounts.ts";
import { isRunRecord } from "../../pools/ledger/listed-run.ts";
import { measureOf } from "../../pools/listing/typed-replies.ts";
import { amountText, maxText } from "../pool-measures.ts";
import type { Line } from "./lines.ts";
import { type Row, table } from "./lines.ts";
import { type PoolView, type QuestionView, waitsOf } from "./pool-view.ts";

/** An open question, and which pool it is about. */
export interface OpenQuestion {
  pool: PoolView;
  question: QuestionView;
}

/** The questions that wait for a reply, the oldest first. */
export function openQuestions(pools: readonly PoolView[]): OpenQuestion[] {
  return pools
    .flatMap((pool) => pool.questions.filter(({ open }) => open).map((question) => ({ pool, question })))
    .sort((one, other) => Date.parse(one.question.asked) - Date.parse(other.question.asked));
}

/** Is it the same question, read at another time? */
export function isSame(one: OpenQuestion, other: OpenQuestion | undefined): boolean {
  return other?.pool.record === one.pool.record && other.question.id === one.question.id;
}

/** The open questions: who asks, in which pool, about what, and how long it waits. */
export function questionsTable(
  questions: readonly OpenQuestion[],
  width: number,
  chosen?: OpenQuestion,
): Line[] {
  const ofPools = questions.some(({ pool }) => !isRunRecord(pool.record));
  const headings = ["  WHO ASKS", ...(ofPools ? ["POOL"] : []), "QUESTION", "USED", "WAITS", "TIME LEFT"];
  const rows = questions.map((each): Row => {
    const { pool, question } = each;
    const isChosen = isSame(each, chosen);
    const now = Date.parse(pool.now);
    const name = question.name || question.member;
    const cells = [
      `${isChosen ? "❯ " : "  "}${shortId(name)}`,
      ...(ofPools ? [isRunRecord(pool.record) ? "" : pool.record] : []),
      shortId(question.id),
      questionText(question),
      span(now - Date.parse(question.asked)),
      question.until === null ? "" : span(Date.parse(question.until) - now),
    ];
    return { cells, style: isChosen ? "inverse" : undefined };
  });
  return table(headings, rows, width);
}

/** What a question is about: `cost $5.00/$5.00`, or why it is asked. */
export function questionText(question: QuestionView): string {
  const { used, max, why } = question;
  const { waits } = waitsOf(question);
  const measure = measureOf(question);
  const until = waits ? `, waits${waits.until === undefined ? "" : ` until ${momentText(waits.until)}`}` : "";
  return why ?? `${measure} ${amountText(measure, used, max)}/${maxText(measure, max)}${until}`;
}

function span(milliseconds: number): string {
  return DURATION.show(Math.max(0, milliseconds));
}

const UUID = /^[0-9a-f]{8}(?=-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)/;

/** The first part of a UUID, which is enough to answer a question. Other names stay whole. */
export function shortId(id: string): string {
  return UUID.exec(id)?.[0] ?? id;
}
