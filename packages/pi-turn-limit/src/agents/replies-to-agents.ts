import type { Boundary, Reply } from "turn-limit";
import { isReached, joinPool, pause, type Run } from "../core.ts";
import type { AgentsQuestion, RepliesToAgents } from "./agents-questions.ts";
import { poolOf } from "./period-pools.ts";
import type { PromptBudget } from "./prompt-budget.ts";
import type { DrawingAgent } from "./prompt-pool.ts";
import type { SessionBudgets } from "./session-budgets.ts";

/** How long, and how often, to check whether an agent has applied the person's reply, in milliseconds. */
const ALLOWED_WITHIN = 2_000;
const LOOK_EVERY = 50;

/** The person at the session above, as the agents below reach them. */
export interface PersonAbove {
  /** May a question be shown now? */
  readonly isFree: boolean;
  /** Where the person replied last, as it follows "Answered". */
  readonly where: string;
  /** Tells the person what came of a question elsewhere. */
  tell(message: string): void;
  /** Asks for an agent, which took this much of the budget itself. */
  askFor(question: AgentsQuestion, signal: AbortSignal, agent: DrawingAgent | undefined): Promise<Reply>;
}

/** Where the counters of the session are shown. */
export interface ShownCounters {
  /** Shows them again, if the agent is at work. */
  refresh(): void;
}

/** Replies to agents as the session above them can: by what its limits have left by now, or by asking the person. */
export class RepliesOfSession implements RepliesToAgents {
  readonly #run: Run;
  readonly #budgets: SessionBudgets;
  readonly #prompt: PromptBudget;
  readonly #person: PersonAbove;
  readonly #counters: ShownCounters;

  constructor(
    run: Run,
    budgets: SessionBudgets,
    prompt: PromptBudget,
    person: PersonAbove,
    counters: ShownCounters,
  ) {
    this.#run = run;
    this.#budgets = budgets;
    this.#prompt = prompt;
    this.#person = person;
    this.#counters = counters;
  }

  get where(): string {
    return this.#person.where;
  }

  tell(message: string): void {
    this.#person.tell(message);
  }

  // More may have been allowed since it was asked.
  async isSettled(question: AgentsQuestion): Promise<boolean> {
    const limit = this.#ownLimit(question);
    if (limit === undefined) return false;
    await this.#refresh();
    const standing = this.#standingOf(limit);
    return standing !== undefined && !isReached(standing.used, standing.max);
  }

  show(question: AgentsQuestion, signal: AbortSignal): Promise<Reply> {
    const agent = this.#prompt.agents.find(({ id }) => id === question.member);
    const own = this.#standingOf(this.#ownLimit(question));
    return this.#person.askFor(own ? { ...question, ...own } : question, signal, agent);
  }

  async allow(question: AgentsQuestion, reply: Reply): Promise<void> {
    if (reply === false || reply === "wrap-up" || reply === "unanswered") return;
    const own = this.#ownLimit(question);
    if (own !== undefined) {
      // The agent has the limits of a period, too, and allows more of them itself by the reply: twice would be too much.
      if (question.identity.per !== undefined) await this.#untilRoom(own);
      else {
        await this.#run.allow(own, reply);
        await this.#refresh();
      }
      this.#counters.refresh();
      return;
    }
    // The budget of an earlier prompt or of another session: its pool is extended. What the agent gets of its own limits, it
    // does by the reply.
    const { kind, pool: id, per } = question.identity;
    if (id === undefined || per !== undefined || kind === "freeze" || kind === "store") return;
    const pool = joinPool({ id, store: this.#budgets.store, [kind]: "unlimited" });
    await pool.allow(kind, reply === true ? question.max : reply === "unlimited" ? reply : reply.more);
  }

  // The limit of this session that a question is about, if it is one. A lower one below is the agent's own.
  #ownLimit({ identity, set = Infinity }: AgentsQuestion): string | undefined {
    const { kind, pool, per } = identity;
    if (pool === this.#prompt.pool) return this.#prompt.isOver ? undefined : kind;
    // An agent knows the budget of this session by its pool, and that of a day by the day.
    const isShared = per === "session" ? pool === poolOf(per, this.#budgets.session) : pool === undefined;
    const own = this.#budgets.periodLimits.find((own) => own.kind === kind && own.per === per);
    return !own || !isShared || set < Number(own.max) ? undefined : own.name;
  }

  #standingOf(limit: string | undefined): Boundary | undefined {
    return this.#run.view.standings.find((standing) => standing.limit === limit);
  }

  // Until then the next agent would be asked about for nothing. One that has ended since allows nothing.
  async #untilRoom(limit: string): Promise<void> {
    for (let waited = 0; waited < ALLOWED_WITHIN; waited += LOOK_EVERY) {
      await this.#refresh();
      const standing = this.#standingOf(limit);
      if (standing && !isReached(standing.used, standing.max)) return;
      await pause(LOOK_EVERY);
    }
  }

  // Finds out where the limits stand by now.
  async #refresh(): Promise<void> {
    await this.#prompt.refresh();
    await (this.#prompt.isOver ? this.#run.shared.look() : this.#run.shared.settle());
  }
}
