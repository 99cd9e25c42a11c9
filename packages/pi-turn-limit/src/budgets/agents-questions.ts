import type { Ask, Reply, Store } from "turn-limit";
import { joinPool, type Pool } from "../core.ts";
import { isAlive } from "../process/is-alive.ts";
import { askerOf } from "./parents-budgets.ts";

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

/** What becomes of the questions. */
export interface QuestionHost {
  /** Is there room again, so that it need not be asked? */
  isSettled(question: AgentsQuestion): Promise<boolean>;
  /** Shows a question, until the signal is aborted. */
  show(question: AgentsQuestion, signal: AbortSignal): Promise<Reply>;
  /** Allows what the person replied, before the agent is told. */
  allow(question: AgentsQuestion, reply: Reply): Promise<void>;
}

/** The questions of the agents below a session: shows one at a time, and withdraws it when its agent is gone. */
export class AgentsQuestions {
  readonly pool: string;
  readonly #pool: Pool;
  readonly #host: QuestionHost;
  #open: { readonly id: string; readonly withdrawn: AbortController } | undefined;
  #isClosed = false;

  constructor(pool: string, store: Store, host: QuestionHost) {
    this.pool = pool;
    this.#pool = joinPool({ id: pool, store });
    this.#host = host;
  }

  /**
   * Looks for questions: withdraws the open one if nobody waits for its reply any more, or shows the next one if `mayShow`.
   */
  async look(mayShow: boolean): Promise<void> {
    const { questions } = await this.#pool.read();
    if (this.#isClosed) return;
    const waiting = questions.filter(({ member }) => isAlive(askerOf(member).pid));
    const open = this.#open;
    if (open && !waiting.some(({ id }) => id === open.id)) open.withdrawn.abort();
    const [next] = waiting;
    if (!open && next && mayShow) void this.#ask(next);
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

  async #ask(asked: PoolQuestion): Promise<void> {
    const withdrawn = new AbortController();
    const open = { id: asked.id, withdrawn };
    this.#open = open;
    try {
      const question = questionOf(asked);
      const isSettled = await this.#host.isSettled(question);
      const reply = isSettled || (await this.#host.show(question, withdrawn.signal));
      if (withdrawn.signal.aborted) return;
      if (!isSettled) await this.#host.allow(question, reply);
      await this.#pool.answer(asked.id, reply);
    } catch {
      // The store cannot be used. The agent finds that out by itself.
    } finally {
      if (this.#open === open) this.#open = undefined;
    }
  }
}

function questionOf({ member, name, limit, used, max, why }: PoolQuestion): AgentsQuestion {
  const boundary = { limit, used, max, ...(why !== undefined && { why }) };
  const { id, set } = askerOf(member);
  return { kind: "ask", id: 0, ...boundary, task: name, member: id, ...(set !== undefined && { set }) };
}
