import type { Grant } from "../../../src/pools/ledger/grants.ts";
import type { Entry } from "./log.ts";

/** What came of many questions. Of the last four there must be none, of the last one where the store can always be used. */
export interface Verdict {
  questions: number;
  /** Of these, the answer was acted on by whoever asked. */
  answered: number;
  /** Answers that were told they came too late. */
  late: number;
  /** More than one answer was told that it counts, acted on, or kept. */
  twice: string[];
  /** An answer was told that it counts and was not acted on, or was not kept. */
  lost: string[];
  /** An answer that was given after its question was closed was told that it counts. */
  afterClosing: string[];
  /** An answer that was given where the question was asked was acted on, and the store, which could not be used, has not kept it. */
  notKept: string[];
}

interface Question {
  tries: { answer: number; at: number; made: boolean }[];
  closed?: Extract<Entry, { said: "closed" }>;
  kept: number[];
}

/** Judges what processes said by what the store has kept. */
export function judge(entries: readonly Entry[], grants: readonly Grant[]): Verdict {
  const questions = new Map<string, Question>();
  const of = (name: string) => questions.get(name) ?? { tries: [], kept: [] };
  const made = new Set(entries.flatMap((entry) => (entry.said === "made" ? [entry.answer] : [])));
  for (const entry of entries) {
    if (!("question" in entry)) continue;
    const question = of(entry.question);
    questions.set(entry.question, question);
    if (entry.said === "tries")
      question.tries.push({ answer: entry.answer, at: entry.at, made: made.has(entry.answer) });
    if (entry.said === "closed") question.closed = entry;
  }
  for (const { to, reply } of grants) if (typeof reply === "object") of(to).kept.push(reply.more);

  const verdict: Verdict = {
    questions: questions.size,
    answered: 0,
    late: entries.filter(({ said }) => said === "late").length,
    ...{ twice: [], lost: [], afterClosing: [], notKept: [] },
  };
  for (const [name, { tries, closed, kept }] of questions) {
    const counted = tries.filter((one) => one.made).map(({ answer }) => answer);
    const all = new Set([...counted, ...kept, ...(closed?.reply === undefined ? [] : [closed.reply])]);
    const shown = `${name}: told ${counted}, kept ${kept}, closed ${JSON.stringify(closed)}`;
    if (closed?.reply !== undefined) verdict.answered += 1;
    if (all.size > 1 || kept.length > 1) verdict.twice.push(shown);
    // Of an asker that was killed, and of a question that was withdrawn, nobody acts on the answer.
    const isUnheard = closed && !closed.isAborted && closed.reply === undefined;
    const isOnlyOwn = counted.length === 0 && closed?.own !== undefined && closed.own === closed.reply;
    if (kept.length === 0 && isOnlyOwn) verdict.notKept.push(shown);
    else if (all.size > 0 && (isUnheard || kept.length === 0)) verdict.lost.push(shown);
    const isAfter = closed && tries.some((one) => one.made && one.at > closed.at);
    if (isAfter) verdict.afterClosing.push(shown);
  }
  return verdict;
}
