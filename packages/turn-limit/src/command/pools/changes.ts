import { randomUUID } from "node:crypto";
import type { Reply } from "../../core/governor/decision.ts";
import { oneLine } from "../../core/text/text-width.ts";
import { isRunRecord } from "../../pools/ledger/listed-run.ts";
import type { Change } from "../../pools/ledger/pool-changes.ts";
import type { PoolState } from "../../pools/ledger/pool-state.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { replyText, tooLateText } from "../../pools/listing/words.ts";
import { maxToUnits } from "../../pools/units.ts";
import { pause } from "../../run/pause.ts";
import { cannotBeDone, unknownWord, wrongInput } from "../command-error.ts";
import { maxText, readAmount, requireMeasure } from "../pool-measures.ts";
import { readReply } from "../question-and-reply.ts";
import type { PoolView, QuestionView, Use } from "./pool-view.ts";

type Wanted = Change extends infer C ? (C extends unknown ? Omit<C, "key"> : never) : never;

/** Something that is changed from the command line. */
export interface Changer {
  /** What follows the name of the pool: words that are required, then a text of any number of words. */
  readonly required: readonly string[];
  readonly text?: string;
  /**
   * Reads what was typed after the name of the pool, and says what is done then, and who asked for it if somebody did.
   * Throws if it is wrong. `inStore`: the option with which another command finds the store.
   */
  read(
    words: readonly string[],
    pool: PoolView,
    inStore?: string,
  ): { change: Wanted; done: string; asker?: string };
}

export const CHANGERS: Readonly<Record<string, Changer>> = {
  extend: {
    required: ["LIMIT", "AMOUNT"],
    read: ([limit = "", text = ""], pool) => {
      requireAtWork(pool);
      const { use } = pool;
      const record = nameOf(pool);
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
    text: "WHY",
    read: (words, pool) => {
      requireAtWork(pool);
      const done = pool.run
        ? `${nameOf(pool)} is frozen: it waits before its next turn.`
        : `${pool.record} is frozen: its agents stop before their next turn.`;
      return { change: { kind: "freeze", why: whyIn(words) }, done };
    },
  },
  unfreeze: {
    required: [],
    read: (_, pool) => ({ change: { kind: "unfreeze" }, done: `${nameOf(pool)} is no longer frozen.` }),
  },
  stop: {
    required: [],
    text: "WHY",
    read: (words, pool) => {
      requireAtWork(pool);
      if (!pool.run)
        throw wrongInput(`${pool.record} is a pool. Only runs are stopped. To hold its agents, use freeze.`);
      return {
        change: { kind: "stop", why: whyIn(words) },
        done: `${nameOf(pool)} stops before its next turn.`,
      };
    },
  },
  reset: {
    required: [],
    read: (_, { record, run }) => {
      if (run) throw wrongInput(`${run.name} is a run. Only pools are reset. To allow more, use extend.`);
      const done = `${record} starts over: nothing is used, and nothing is added.`;
      return { change: { kind: "reset" }, done };
    },
  },
  answer: {
    required: ["QUESTION", "REPLY"],
    read: ([wanted = "", text = ""], pool, inStore = "") => {
      const question = findQuestion(wanted, pool);
      const asker = question.name || question.member;
      const change = { kind: "answer", question: question.id, reply: readReply(text, question) } as const;
      if (isParked(pool)) return { change, done: parkedText(asker, pool.id + inStore, change.reply) };
      const { reply } = change;
      const told = typeof reply === "object" ? replyText(reply, asked(question)) : text;
      return { change, done: `${asker} is told: ${told}.`, asker };
    },
  },
};

// Agents and terminals are told it.
function whyIn(words: readonly string[]): string {
  return oneLine(words.join(" "));
}

/** Is it a run that waits to be resumed? Nothing but an answer reaches it. */
export function isParked({ run }: Pick<PoolView, "run">): boolean {
  return run?.state === "parked";
}

/** What becomes of a parked run that was answered. `id`: what a command is given to find it. */
export function parkedText(asker: string, id: string, reply: Reply): string {
  return reply === false
    ? `${asker} stays parked, and is not resumed. To remove it: npx turn-limit parked forget ${id}`
    : `${asker} is parked. To go on with it: npx turn-limit resume ${id}`;
}

function requireAtWork(pool: PoolView): void {
  if (isParked(pool))
    throw wrongInput(
      `${nameOf(pool)} is parked. Answer its question, or use turn-limit resume ${pool.id}, also with an amount.`,
    );
}

/** What people call it. */
export function nameOf({ record, run }: Pick<PoolView, "record" | "run">): string {
  return run?.name ?? record;
}

/**
 * What has to be said of a limit that the pool does not have now. It throws for one that the pool never had. A pool of
 * which nobody has said the limits may have any.
 */
function noteOn(measure: string, pool: PoolView): string {
  const { use } = pool;
  const record = nameOf(pool);
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

/** Where a person acts who types a command. */
export const BY_COMMAND = "with turn-limit pools";

/**
 * Makes a change that a person wants. `where`: as it follows "Answered"; `to`: what it is done to, as people call it. It throws
 * when a question was answered by another meanwhile, and says by whom, and when a run has ended.
 */
export async function makeChange(
  store: Store,
  record: string,
  change: Wanted,
  { where = BY_COMMAND, to = record }: { where?: string; to?: string } = {},
): Promise<void> {
  const person = { where, to };
  const { made, state } = await store.change(record, { ...change, person, key: randomUUID() });
  if (made) return;
  if (change.kind === "answer")
    throw cannotBeDone(await whyNotAnswered(store, record, change.question, state));
  if (isRunRecord(record)) throw cannotBeDone(`${to} has ended.`);
}

async function whyNotAnswered(
  store: Store,
  record: string,
  id: string,
  { questions, resumption }: PoolState,
): Promise<string> {
  const asked = Object.hasOwn(questions, id) ? questions[id] : undefined;
  if (asked?.reply !== undefined) return tooLateText(asked.replied?.where, asked.reply, asked);
  if (asked && resumption?.holder)
    return "The run goes on already. If it does not, try again in half a minute.";
  const other = await answeredBefore(store, record, id);
  return other ?? `${record}: ${id} was answered by somebody else, or withdrawn.`;
}

/** What a person is told who answers a question that was answered before, also when it is gone since. */
export async function answeredBefore(store: Store, record: string, id: string): Promise<string | undefined> {
  const grants = (await store.grants()).filter(
    (grant) => grant.record === record && id !== "" && grant.question?.id.startsWith(id),
  );
  const { reply, question, where } = grants.at(-1) ?? {};
  return reply !== undefined && question ? tooLateText(where, reply, question) : undefined;
}

/** How often, and for how long, to check whether a reply was read, in milliseconds. Agents look twice a second. */
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

function asked({ limit, identity, max, round }: QuestionView) {
  return { limit, max, round, ...(identity && { identity }) };
}

/** The open question that a person means: by its id, or by how its id begins. */
function findQuestion(wanted: string, { record, run, questions }: PoolView): QuestionView {
  const asker = run?.name ?? record;
  const open = questions.filter(({ open }) => open);
  const exact = questions.find(({ id }) => id === wanted);
  if (exact?.reply != null)
    throw cannotBeDone(tooLateText(exact.where ?? undefined, exact.reply, asked(exact)));
  if (exact && !exact.open)
    throw cannotBeDone(`${asker}: ${wanted} can no longer be answered: its time is over.`);
  const begun = wanted === "" ? [] : open.filter(({ id }) => id.startsWith(wanted));
  const found = exact ?? (begun.length === 1 ? begun[0] : undefined);
  if (found) return found;
  const named = `${JSON.stringify(wanted)} is not an open question of ${asker}`;
  if (open.length === 0) throw wrongInput(`${named}. It has none.`);
  throw unknownWord(
    wanted,
    `an open question of ${asker}`,
    open.map(({ id }) => id),
  );
}
