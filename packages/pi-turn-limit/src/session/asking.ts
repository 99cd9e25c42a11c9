import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Max, Reply } from "turn-limit";
import type { AgentsQuestion } from "../agents/agents-questions.ts";
import type { DrawingAgent } from "../agents/prompt-pool.ts";
import type { PersonAbove } from "../agents/replies-to-agents.ts";
import type { SessionBudgets } from "../agents/session-budgets.ts";
import { isOwn, SerialQueue } from "../core.ts";
import type { Counters } from "../display/counters.ts";
import { mayContinue } from "../display/question/may-continue.ts";
import type { AskingAgent } from "../display/question/question.ts";
import { limitOf } from "../limits/limit-of.ts";
import type { Person } from "../person/person.ts";
import { valueFor } from "../settings/settings.ts";
import type { Announcer } from "./announcer.ts";

/** Puts questions to the person, one at a time: those of the session, and those of the agents below it. */
export class Asking implements PersonAbove {
  readonly #ctx: ExtensionContext;
  readonly #person: Person;
  readonly #budgets: SessionBudgets;
  readonly #counters: Counters;
  readonly #announcer: Announcer;
  readonly #questions = new SerialQueue();
  #goesOnWithoutStore = false;

  constructor(
    ctx: ExtensionContext,
    person: Person,
    budgets: SessionBudgets,
    counters: Counters,
    announcer: Announcer,
  ) {
    this.#ctx = ctx;
    this.#person = person;
    this.#budgets = budgets;
    this.#counters = counters;
    this.#announcer = announcer;
  }

  get isFree(): boolean {
    return this.#questions.isFree && !this.#person.isAtOurScreen;
  }

  /** The session's own question. */
  async ask(ask: Ask, withdrawn: AbortSignal): Promise<Reply> {
    const isAboutStore = ask.identity.kind === "store";
    // The same store keeps the budgets of all periods, so one yes is enough.
    if (isAboutStore && this.#goesOnWithoutStore) return true;
    this.#counters.show();
    this.#announcer.boundary(ask);
    const aborted = this.#ctx.signal;
    const reply = await this.#put(ask, aborted ? AbortSignal.any([aborted, withdrawn]) : withdrawn);
    // A question that closes because the run is aborted stays unanswered: that is not a no.
    if (aborted?.aborted) return new Promise(() => {});
    if (isAboutStore && reply === true) {
      this.#goesOnWithoutStore = true;
      this.#budgets.store.acceptLoss();
    }
    if (reply === true && !withdrawn.aborted) this.#counters.showStartedOver(ask.limit);
    return reply;
  }

  /** The same where only a session above has a person. */
  async askAbove(ask: Ask, withdrawn: AbortSignal, member: { id: string; name: string }): Promise<Reply> {
    this.#announcer.boundary(ask);
    return this.#budgets.askAbove(ask, withdrawn, member).catch(() => false);
  }

  /** The question of an agent below. */
  askFor(question: AgentsQuestion, signal: AbortSignal, agent: DrawingAgent | undefined): Promise<Reply> {
    const { task, identity } = question;
    const drawn = (["tokens", "cost"] as const).find((kind) => isOwn(identity, kind));
    const took = drawn && agent?.[drawn];
    return this.#put(question, signal, { task, took });
  }

  #put(ask: Ask, signal: AbortSignal, agent?: AskingAgent): Promise<Reply> {
    return this.#questions.add(() => {
      const style = this.#budgets.values?.boundary ?? "confirm";
      const asked = { ...ask, round: this.#roundOf(ask) };
      return this.#person.isAsked(() => mayContinue(this.#ctx, asked, style, signal, this.#person, agent));
    });
  }

  /** What a limit of this session is set to. */
  #roundOf({ limit, identity }: Ask): Max | undefined {
    const { values, periodLimits } = this.#budgets;
    if (identity.per !== undefined) return periodLimits.find(({ name }) => name === limit)?.max;
    return identity.pool === undefined && values
      ? (valueFor(values, limitOf({ limit, identity })) as Max | undefined)
      : undefined;
  }
}
