import type { Reply } from "../core/governor/decision.ts";
import { type AskedAbout, type Boundary, isShared } from "../core/limits/boundary.ts";
import { oneLine } from "../core/text/text-width.ts";
import { type Asked, questionText as textOf } from "../core/words.ts";
import { measureOf, type NamedLimit, REPLIES, replyIn } from "../pools/listing/typed-replies.ts";
import { anotherText } from "../pools/listing/words.ts";
import { unknownWord } from "./command-error.ts";
import { exampleOf, readAmount } from "./pool-measures.ts";

/** What is asked: `Turn limit reached (25/25). Continue?` */
export function questionText(asked: Asked): string {
  return oneLine(textOf(asked));
}

/**
 * How it can be answered on a terminal: `[y]es, [n]o, [w]rap up, or how much more, such as 10:`. What a yes allows is said
 * where the question does not: `[y]es (another 25 turns), …`.
 */
export function replyHint(asked: AskedAbout): string {
  if (asked.why !== undefined) return "[y]es, [n]o:";
  const another = asked.round === undefined ? undefined : anotherText(asked);
  const yes = another === undefined ? "[y]es" : `[y]es (${another})`;
  return `${yes}, [n]o, [w]rap up, or how much more, such as ${exampleOf(measureOf(asked))}:`;
}

/** What a person is told who has lifted a limit: `No limit of turns any more in this run.` */
export function liftedText({ limit, identity }: Boundary): string {
  return `No limit of ${limit} any more${isShared(identity) ? ", for everyone who shares it" : " in this run"}.`;
}

/** Reads a reply to a question about this limit: a word, or how much more is allowed. Throws if it is neither. */
export function readReply(text: string, limit: NamedLimit): Reply {
  const reply = replyIn(text, limit);
  if (reply !== undefined) return reply;
  const measure = measureOf(limit);
  const words = Object.keys(REPLIES);
  if (/^[a-z-]+$/i.test(text)) throw unknownWord(text, "a reply", [...words, `or an amount of ${measure}`]);
  return { more: readAmount(measure, text, words) };
}
