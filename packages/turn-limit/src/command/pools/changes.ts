import { randomUUID } from "node:crypto";
import type { Reply } from "../../governor/decision.ts";
import type { Change } from "../../ledger/head.ts";
import type { Store } from "../../ledger/store.ts";
import { toUnits } from "../../pools/units.ts";
import { cannotBeDone, unknownWord, wrongInput } from "../command-error.ts";
import { maxText, measureOf, readAmount, requireMeasure } from "./measures.ts";
import type { PoolView, QuestionView } from "./pool-view.ts";

type Wanted = Change extends infer C ? (C extends unknown ? Omit<C, "key"> : never) : never;

/** Something that is changed from the command line. */
interface Changer {
  /** What follows the name of the pool: words that are required, then those that may be left out. */
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** Reads what was typed after the name of the pool, and says what is done then. Throws if it is wrong. */
  read(words: readonly string[], pool: PoolView): { change: Wanted; done: string };
}

export const CHANGERS: Readonly<Record<string, Changer>> = {
  extend: {
    required: ["LIMIT", "AMOUNT"],
    read: ([limit = "", text = ""], { record, use }) => {
      const measure = requireMeasure(limit);
      if (text === "unlimited")
        return {
          change: { kind: "extend", measure, by: text },
          done: `${record} is unlimited in ${measure} now.`,
        };
      const amount = readAmount(measure, text, ["unlimited"]);
      return {
        change: { kind: "extend", measure, by: toUnits(measure, amount) },
        done:
          use[measure]?.extra === "unlimited"
            ? `${record} is unlimited in ${measure} already.`
            : `${record} may use more ${measure}: ${maxText(measure, amount)} in addition.`,
      };
    },
  },
  freeze: {
    required: [],
    optional: ["WHY"],
    read: ([why = ""], { record }) => ({
      change: { kind: "freeze", why },
      done: `${record} is frozen: its agents stop before their next turn.`,
    }),
  },
  unfreeze: {
    required: [],
    read: (_, { record }) => ({ change: { kind: "unfreeze" }, done: `${record} is no longer frozen.` }),
  },
  reset: {
    required: [],
    read: (_, { record }) => ({
      change: { kind: "reset" },
      done: `${record} starts over: nothing is used, and nothing is added.`,
    }),
  },
  answer: {
    required: ["QUESTION", "REPLY"],
    read: ([wanted = "", text = ""], pool) => {
      const question = findQuestion(wanted, pool);
      const { id, name, member } = question;
      return {
        change: { kind: "answer", question: id, reply: readReply(text, question) },
        done: `${name || member} is told: ${text}.`,
      };
    },
  },
};

/** Makes a change. It throws when a question was answered by another meanwhile. */
export async function makeChange(store: Store, record: string, change: Wanted): Promise<void> {
  const { made } = await store.change(record, { ...change, key: randomUUID() });
  if (!made && change.kind === "answer")
    throw cannotBeDone(`${record}: ${change.question} was answered by somebody else, or withdrawn.`);
}

/** Replies by the words for them. */
const REPLIES: Readonly<Record<string, Reply>> = {
  yes: true,
  no: false,
  unlimited: "unlimited",
  "wrap-up": "wrap-up",
};

function readReply(text: string, { limit }: QuestionView): Reply {
  const measure = measureOf(limit);
  const word = text.toLowerCase();
  if (Object.hasOwn(REPLIES, word)) return REPLIES[word] as Reply;
  const words = Object.keys(REPLIES);
  if (/^[a-z-]+$/.test(word)) throw unknownWord(text, "a reply", [...words, `an amount of ${measure}`]);
  return { more: readAmount(measure, text, words) };
}

/** The open question that a person means: by its id, or by how its id begins. */
function findQuestion(wanted: string, { record, questions }: PoolView): QuestionView {
  const open = questions.filter(({ open }) => open);
  const exact = questions.find(({ id }) => id === wanted);
  if (exact?.reply != null) throw cannotBeDone(`${record}: ${wanted} was answered already.`);
  if (exact && !exact.open)
    throw cannotBeDone(`${record}: ${wanted} can no longer be answered: its time is over.`);
  const begun = wanted === "" ? [] : open.filter(({ id }) => id.startsWith(wanted));
  const found = exact ?? (begun.length === 1 ? begun[0] : undefined);
  if (found) return found;
  const named = `${JSON.stringify(wanted)} is not an open question of ${record}`;
  if (open.length === 0) throw wrongInput(`${named}. It has none.`);
  throw unknownWord(
    wanted,
    `an open question of ${record}`,
    open.map(({ id }) => id),
  );
}
