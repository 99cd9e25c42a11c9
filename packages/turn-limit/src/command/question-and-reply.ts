import type { Reply } from "../core/governor/decision.ts";
import { type Boundary, isShared } from "../core/limits/boundary.ts";
import { oneLine } from "../core/text/text-width.ts";
import { CONTINUE, reachedText } from "../core/words.ts";
import { unknownWord } from "./command-error.ts";
import { exampleOf, measureOf, type NamedLimit, readAmount } from "./measures.ts";

/** What is asked: `Turn limit reached (25/25). Continue?` */
export function questionText(boundary: Boundary): string {
  return oneLine(`${reachedText(boundary)} ${CONTINUE}`);
}

/** How it can be answered on a terminal: `[y]es, [n]o, [w]rap up, or how much more, such as 10:` */
export function replyHint(boundary: Boundary): string {
  if (boundary.why !== undefined) return "[y]es, [n]o:";
  return `[y]es, [n]o, [w]rap up, or how much more, such as ${exampleOf(measureOf(boundary))}:`;
}

/** What a person is told who has lifted a limit: `No limit of turns any more in this run.` */
export function liftedText({ limit, identity }: Boundary): string {
  return `No limit of ${limit} any more${isShared(identity) ? ", for everyone who shares it" : " in this run"}.`;
}

/** Replies by the words for them. */
const REPLIES: Readonly<Record<string, Reply>> = {
  yes: true,
  no: false,
  unlimited: "unlimited",
  "wrap-up": "wrap-up",
};

/** Reads a reply to a question about this limit: a word, or how much more is allowed. Throws if it is neither. */
export function readReply(text: string, limit: NamedLimit): Reply {
  const measure = measureOf(limit);
  const word = text.toLowerCase();
  if (Object.hasOwn(REPLIES, word)) return REPLIES[word] as Reply;
  const words = Object.keys(REPLIES);
  if (/^[a-z-]+$/.test(word)) throw unknownWord(text, "a reply", [...words, `an amount of ${measure}`]);
  return { more: readAmount(measure, text, words) };
}
