import { randomUUID } from "node:crypto";
import type { Change } from "../../pools/ledger/pool-state.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { maxToUnits } from "../../pools/units.ts";
import { pause } from "../../run/until-aborted.ts";
import { cannotBeDone, unknownWord, wrongInput } from "../command-error.ts";
import { maxText, readAmount, requireMeasure } from "../measures.ts";
import { readReply } from "../question-and-reply.ts";
import type { PoolView, QuestionView, Use } from "./pool-view.ts";

type Wanted = Change extends infer C ? (C extends unknown ? Omit<C, "key"> : never) : never;

/** Something that is changed from the command line. */
interface Changer {
  /** What follows the name of the pool: words that are required, then those that may be left out. */
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /**
   * Reads what was typed after the name of the pool, and says what is done then, and who asked for it if somebody did.
   * Throws if it is wrong.
   */
  read(words: readonly string[], pool: PoolView): { change: Wanted; done: string; asker?: string };
}

export const CHANGERS: Readonly<Record<string, Changer>> = {
  extend: {
    required: ["LIMIT", "AMOUNT"],
    read: ([limit = "", text = ""], pool) => {
      const { record, use } = pool;
      const measure = requireMeasure(limit);
      const amount = text === "unlimited" ? text : readAmount(measure, text, ["unlimited"]);
      const note = noteOn(measure, pool);
      const change = { kind: "extend", measure, by: maxToUnits(measure, amount) } as const;
      if (amount === "unlimited") return { change, done: `${record} is unlimited in ${measure} now.${note}` };
      const isUnlimited = use[measure]?.extra === "unlimited";
      const done = isUnlimited
        ? `${record} is unlimited in ${measure} already.`
        : `${record} may use more ${measure}: ${maxText(measure, amount)} in addition.${note}`;
      return { change, done };
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
      const asker = question.name || question.member;
      const change = { kind: "answer", question: question.id, reply: readReply(text, question) } as const;
      return { change, done: `${asker} is told: ${text}.`, asker };
    },
  },
};

/**
 * What has to be said of a limit that the pool does not have now. It throws for one that the pool never had. A pool of
 * which nobody has said the limits may have any.
 */
function noteOn(measure: string, { record, use }: PoolView): string {
  const limited = Object.entries(use).filter(([, { max }]) => max !== null);
  const own = use[measure];
  if (limited.length === 0 || (own && own.max !== null && isLimited(own))) return "";
  const others = limited.filter(([, other]) => isLimited(other)).map(([name]) => name);
  const known = others.length > 0 ? ` It limits ${others.join(", ")}.` : "";
  const problem = `${record} has no limit of ${measure}`;
  if (!own) throw wrongInput(`${problem}, so there is nothing to extend.${known}`);
  return ` But ${problem} now.${known}`;
}

function isLimited({ max, extra }: Use): boolean {
  return max !== "unlimited" || extra === "unlimited";
}

/** Makes a change. It throws when a question was answered by another meanwhile. */
export async function makeChange(store: Store, record: string, change: Wanted): Promise<void> {
  const { made } = await store.change(record, { ...change, key: randomUUID() });
  if (!made && change.kind === "answer")
    throw cannotBeDone(`${record}: ${change.question} was answered by somebody else, or withdrawn.`);
}

/** How often it is looked whether a reply was read, and for how long, in milliseconds. Agents look twice a second. */
const LOOK_EVERY = 100;
const READ_WITHIN = 3_000;

/** Waits until the agent that asked has read the reply: it withdraws its question then. It throws when it does not. */
export async function untilRead(
  store: Store,
  record: string,
  question: string,
  asker: string,
): Promise<void> {
  for (let waited = 0; waited < READ_WITHIN; waited += LOOK_EVERY) {
    const found = await store.read(record);
    if (!found || !Object.hasOwn(found.state.questions, question)) return;
    await pause(LOOK_EVERY);
  }
  throw cannotBeDone(`${record}: ${unreadText(asker)}`);
}

/** What is said of a reply that nobody reads. */
export function unreadText(asker: string): string {
  return `${asker} has not read the reply, and may be gone. The reply stays, in case it is not.`;
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
