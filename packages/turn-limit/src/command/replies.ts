import type { Reply } from "../core/governor/decision.ts";
import { unknownWord } from "./command-error.ts";
import { measureOf, type NamedLimit, readAmount } from "./measures.ts";

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
