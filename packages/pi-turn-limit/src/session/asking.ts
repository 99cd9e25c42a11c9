import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Max, Reply } from "turn-limit";
import { type AgentsQuestion, nobody } from "../agents/agents-questions.ts";
import type { DrawingAgent } from "../agents/prompt-pool.ts";
import type { PersonAbove } from "../agents/replies-to-agents.ts";
import type { SessionBudgets } from "../agents/session-budgets.ts";
import { isOwn, SerialQueue } from "../core.ts";
import type { Counters } from "../display/counters.ts";
import { mayContinue } from "../display/question/may-continue.ts";
import type { AskingAgent } from "../display/question/question.ts";
import { say } from "../display/say.ts";
import { limitOf } from "../limits/limit-of.ts";
import type { Person } from "../person/person.ts";
import { valueFor } from "../settings/settings.ts";
import type { Announcer } from "./announcer.ts";
import { type Notifications, TERMINAL } from "./notifications.ts";

/** Puts questions to the person, one at a time: those of the session, and those of the agents below it. */
export class Asking implements PersonAbove {
  readonly #ctx: ExtensionContext;
  readonly #person: Person;
  readonly #budgets: SessionBudgets;
  readonly #counters: Counters;
  readonly #announcer: Announcer;
  readonly #notifications: Notifications | undefined;
  readonly #questions = new SerialQueue();
  #goesOnWithoutStore = false;

  constructor(
    ctx: ExtensionContext,
    person: Person,
    budgets: SessionBudgets,
    counters: Counters,
    announcer: Announcer,
    notifications: Notifications | undefined,
  ) {
    this.#ctx = ctx;
    this.#person = person;
    this.#budgets = budgets;
    this.#counters = counters;
    this.#announcer = announcer;
    this.#notifications = notifications;
  }

  get isFree(): boolean {
    return this.#questions.isFree && !this.#person.isAtOurScreen;
  }

  get where(): string {
    return this.#notifications?.where ?? TERMINAL;
  }

  tell(message: string): void {
    say(this.#ctx, message);
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
    return this.#budgets.askAbove(ask, withdrawn, member).catch(() => nobody(ask));
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
      const round = this.#roundOf(ask);
      const asked = round === undefined ? ask : { ...ask, round };
      const put = (withdrawn: AbortSignal) =>
        this.#person.isAsked(() => mayContinue(this.#ctx, asked, style, withdrawn, this.#person, agent));
      return this.#notifications?.ask(asked, signal, put) ?? put(signal);
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
