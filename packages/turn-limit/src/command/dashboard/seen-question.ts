import type { Max } from "../../core/limits/boundary.ts";
import { capitalised } from "../../core/words.ts";
import { measureOf } from "../../pools/listing/typed-replies.ts";
import { replyText } from "../../pools/listing/words.ts";
import { amountText, exampleOf, maxText } from "../pool-measures.ts";
import { type QuestionView, waitsOf } from "../pools/pool-view.ts";
import { questionText as shortText } from "../pools/questions-table.ts";
import { questionText } from "../question-and-reply.ts";
import type { SeenQuestion } from "./news.ts";
import { shownName } from "./shown-name.ts";

type Replies = SeenQuestion["replies"];

/** What the page shows of an open question, and with which buttons it is answered. */
export function seenQuestion(question: QuestionView): SeenQuestion {
  const { id, name, member, limit, identity, used, max, asked, until, why } = question;
  return {
    id,
    who: shownName(name, member),
    // Records of earlier versions do not say which limit it is.
    text: identity
      ? questionText({ limit, identity, used, max, ...(why !== null && { why }), ...waitsOf(question) })
      : shortText(question),
    asked: Date.parse(asked),
    until: until === null ? null : Date.parse(until),
    replies: repliesTo(question),
    example: why === null ? exampleOf(measureOf(question)) : null,
  };
}

function repliesTo(question: QuestionView): Replies {
  const { limit, identity, max, round, why } = question;
  const no = { reply: "no", label: "No" };
  if (why !== null) return [{ reply: "yes", label: "Yes" }, no];
  const yes = capitalised(replyText(true, { limit, max, round, ...(identity && { identity }) }));
  return [
    { reply: "yes", label: yes },
    ...smaller(measureOf(question), round),
    no,
    { reply: "wrap-up", label: "Wrap up" },
    { reply: "unlimited", label: "Unlimited" },
  ];
}

/** About a fifth of what a yes allows, as a person would type it. */
function smaller(measure: string, max: Max): Replies {
  if (max === "unlimited") return [];
  const amount = measure === "time" ? roundTime(max / 5) : roundAmount(max / 5, measure === "cost");
  if (amount === undefined || amount >= max) return [];
  return [{ reply: maxText(measure, amount), label: `${amountText(measure, amount)} more` }];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const TIMES = [1, 5, 10, 30].flatMap((n) => [n * SECOND, n * MINUTE, n * 60 * MINUTE]).sort((a, b) => b - a);

function roundTime(time: number): number | undefined {
  return TIMES.find((each) => each <= time);
}

// To one digit: 40, 0.5, 300000. Only dollars have fractions.
function roundAmount(amount: number, hasFractions: boolean): number | undefined {
  if (!hasFractions && amount < 1) return 1;
  if (amount < 0.01) return undefined;
  const power = 10 ** Math.floor(Math.log10(amount) + 1e-9);
  return Number((Math.floor(amount / power + 1e-9) * power).toPrecision(1));
}
