import type { Ask, LimitIdentity, Max, Reply, Store } from "turn-limit";
import { answeredText, joinPool, type ManagedPool, type Pool, PoolRequests, tooLateText } from "../core.ts";
import type { HandedDown } from "./handed-down.ts";

type PoolQuestion = Awaited<ReturnType<Pool["read"]>>["questions"][number];

/** A question of an agent below. */
export interface AgentsQuestion extends Ask {
  /** Its task, in a few words. */
  readonly task: string;
  /** Who it is in the pools it draws from. */
  readonly member: string;
  /** Of a limit for a period: what it is set to there. */
  readonly set?: number;
}

/** How often it is checked whether the session that asks a person is still there. */
const LOOK_EVERY = 1_000;
const DAY = 86_400_000;

const LONGEST_NAME = 60;

/** A task in a few words: its first line, cut short. */
export function taskName(prompt: string): string {
  const lines = prompt.replace(/^Task: /, "").split("\n");
  const characters = [...(lines.map((line) => line.trim()).find((line) => line !== "") ?? "")];
  if (characters.length <= LONGEST_NAME) return characters.join("");
  return `${characters
    .slice(0, LONGEST_NAME - 1)
    .join("")
    .trimEnd()}…`;
}

/**
 * Asks the person at the nearest session above that has one. A no if that session is gone. `set`: what a limit for a
 * period is set to in the session that asks, which may be less than above.
 */
export async function askAbove(
  asks: NonNullable<HandedDown["ask"]>,
  store: Store,
  ask: Ask,
  signal: AbortSignal,
  { id, name, set }: { id: string; name: string; set?: Max | undefined },
): Promise<Reply> {
  const gone = new AbortController();
  const look = setInterval(() => isAlive(asks.pid) || gone.abort(), LOOK_EVERY);
  try {
    const pool = joinPool({ id: asks.pool, store, askFor: "forever", keepFor: DAY });
    // Who asked is remembered for a day, and no longer.
    await new PoolRequests(pool.definition, { id, name }).take({ leaves: true });
    const asker = { id, name, pid: process.pid, ...(typeof set === "number" && { set }) };
    return (await pool.ask(ask, AbortSignal.any([signal, gone.signal]), asker)) ?? nobody(ask);
  } finally {
    clearInterval(look);
  }
}

/** The reply where nobody can be asked: a no, unless the run goes on by itself. */
export function nobody({ waits }: Pick<Ask, "waits">): Reply {
  return waits ? "unanswered" : false;
}

/** Is there a process of this number on this machine? */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, and somebody else's.
    return Object(error).code === "EPERM";
  }
}

/** Replies to the questions. */
export interface RepliesToAgents {
  /** Where the person replied last, as it follows "Answered". */
  readonly where: string;
  /** Tells the person what came of a question elsewhere. */
  tell(message: string): void;
  /** Is there room again, so that it need not be asked? */
  isSettled(question: AgentsQuestion): Promise<boolean>;
  /** Shows a question, until the signal is aborted. */
  show(question: AgentsQuestion, signal: AbortSignal): Promise<Reply>;
  /** Allows what the person replied. */
  allow(question: AgentsQuestion, reply: Reply): Promise<void>;
}

/** The questions of the agents below a session: shows one at a time, and withdraws it when its agent is gone. */
export class AgentsQuestions {
  readonly pool: string;
  readonly #store: Store;
  readonly #replies: RepliesToAgents;
  /** Those that waited when it was last looked, and those that were dealt with, each once. */
  #waiting: readonly PoolQuestion[] = [];
  readonly #done = new Set<string>();
  #open: { readonly id: string; readonly withdrawn: AbortController } | undefined;
  #isClosed = false;
  #joined: ManagedPool | undefined;

  constructor(pool: string, store: Store, replies: RepliesToAgents) {
    this.pool = pool;
    this.#store = store;
    this.#replies = replies;
  }

  // Joined when it is first looked at: most sessions have no agents below them.
  get #pool(): ManagedPool {
    this.#joined ??= joinPool({ id: this.pool, store: this.#store });
    return this.#joined;
  }

  /**
   * Looks for questions: withdraws the open one if nobody waits for its reply any more, or shows the next one if `mayShow`.
   */
  async look(mayShow: boolean): Promise<void> {
    const { questions } = await this.#pool.read();
    if (this.#isClosed) return;
    const waiting = questions.filter(({ pid }) => pid !== undefined && isAlive(pid));
    const gone = this.#waiting.filter((one) => !waiting.some(({ id }) => id === one.id));
    this.#waiting = [...gone, ...waiting];
    for (const one of gone) await this.#heed(one);
    this.#waiting = waiting;
    const [next] = waiting;
    if (!this.#open && next && mayShow) void this.#ask(next);
  }

  /** Another session goes on with the questions. */
  giveWay(): void {
    this.#isClosed = true;
    this.#open?.withdrawn.abort();
  }

  /** No session goes on with them: whoever waits is told no. */
  async close(): Promise<void> {
    this.giveWay();
    for (const { id } of (await this.#pool.read()).questions) await this.#pool.answer(id, false);
  }

  // Nobody waits any more: the agent is gone, or a person has replied elsewhere. That counts as if it was done here.
  async #heed(asked: PoolQuestion, text = answeredText): Promise<void> {
    if (this.#done.has(asked.id)) return;
    this.#done.add(asked.id);
    try {
      const given = (await this.#store.grants()).findLast(
        ({ record, question }) => record === this.pool && question?.id === asked.id,
      );
      const reply = given?.reply;
      const message = reply === undefined ? undefined : text(given?.where, reply, asked);
      if (this.#open?.id === asked.id) this.#open.withdrawn.abort(message);
      if (reply === undefined || message === undefined) return;
      this.#replies.tell(message);
      await this.#replies.allow(questionOf(asked), reply);
    } catch (error) {
      // The store cannot be used for now.
      this.#done.delete(asked.id);
      throw error;
    }
  }

  async #ask(asked: PoolQuestion): Promise<void> {
    const withdrawn = new AbortController();
    const open = { id: asked.id, withdrawn };
    this.#open = open;
    try {
      const question = questionOf(asked);
      const isSettled = await this.#replies.isSettled(question);
      const reply = isSettled || (await this.#replies.show(question, withdrawn.signal));
      if (withdrawn.signal.aborted) return;
      const person = isSettled ? undefined : { where: this.#replies.where, to: asked.name || asked.member };
      if (this.#done.has(asked.id)) return;
      this.#done.add(asked.id);
      // The store says who was first. Only that reply allows anything.
      if (await this.#pool.answerBy(person, asked.id, reply)) {
        if (!isSettled) await this.#replies.allow(question, reply);
        return;
      }
      this.#done.delete(asked.id);
      await this.#heed(asked, tooLateText);
    } catch {
      // The store cannot be used. The agent finds that out by itself.
    } finally {
      if (this.#open === open) this.#open = undefined;
    }
  }
}

/** Of a question that an earlier version asks. */
const UNKNOWN: LimitIdentity = { kind: "custom" };

function questionOf(asked: PoolQuestion): AgentsQuestion {
  const { member, name, limit, identity, used, max, why, set, waits } = asked;
  const boundary = { limit, identity: identity ?? UNKNOWN, used, max, ...(why !== undefined && { why }) };
  return {
    ...{ kind: "ask", id: 0, ...boundary, task: name, member },
    ...(set !== undefined && { set }),
    ...(waits && { waits }),
  };
}
