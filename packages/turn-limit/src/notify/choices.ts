import type { Ask, Reply } from "../core/governor/decision.ts";
import { kindOf } from "../core/limits/kinds.ts";
import { MEASURES } from "../core/measures/measures.ts";
import { HOUR, MINUTE, SECOND } from "../core/measures/write-amounts.ts";
import { cut } from "../core/text/text-width.ts";
import { capitalised } from "../core/words.ts";
import { replyText } from "../pools/listing/words.ts";

/** One button. */
export interface Choice {
  readonly word: "yes" | "less" | "no";
  /** What is on it: `Yes, another 25 turns`. */
  readonly label: string;
  readonly reply: Reply;
}

/** The buttons of a question: yes, a smaller amount if there is one, and no. */
export function choicesOf(ask: Ask): Choice[] {
  const less = smallerAmount(ask);
  const replies: [Choice["word"], Reply][] = [
    ["yes", true],
    ...(less === undefined ? [] : [["less", { more: less }] satisfies [Choice["word"], Reply]]),
    ["no", false],
  ];
  return replies.map(([word, reply]) => ({
    word,
    reply,
    label: cut(capitalised(replyText(reply, ask)), LONGEST_LABEL),
  }));
}

const CENT = 0.01;
/** No button is wider. */
const LONGEST_LABEL = 60;

/** About a fifth of what a yes allows, as a number that people would choose. */
function smallerAmount({ identity, max, round = max, why }: Ask): number | undefined {
  const measure = kindOf(identity)?.measure;
  if (why !== undefined || measure === undefined || round === "unlimited") return undefined;
  const fifth = round / 5;
  const unit = measure === "time" ? timeUnit(fifth) : MEASURES[measure].whole ? 1 : CENT;
  const amount = Math.max(unit, rounded(fifth / unit) * unit);
  return amount < round ? Number(amount.toFixed(2)) : undefined;
}

function timeUnit(time: number): number {
  return time >= HOUR ? HOUR : time >= MINUTE ? MINUTE : SECOND;
}

/** The largest of 1, 2, 5, 10, 20, 50, … that is not above the number. */
function rounded(number: number): number {
  if (number < 1) return 1;
  const power = 10 ** Math.floor(Math.log10(number));
  return power * ([5, 2].find((step) => step * power <= number) ?? 1);
}
