import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Boundary, GovernorSettings, Reply } from "turn-limit";
import type { SessionBudgets } from "../agents/session-budgets.ts";
import { type Run, waitingText } from "../core.ts";
import { say } from "../display/say.ts";
import type { Asking } from "./asking.ts";
import type { Notifications } from "./notifications.ts";
import type { PrintParking } from "./print-parking.ts";

/** Asks about a limit of the session. */
type AskSomebody = (ask: Ask, withdrawn: AbortSignal) => Promise<Reply>;

/** What is made after the run whose questions these are. */
interface OfSession {
  readonly run: Run;
  readonly asking: Asking;
}

/**
 * Who is asked about a limit of the session: the person at its own UI; else the one at a session above; else, where there is no
 * terminal, the reply of a resumed run, or whoever replies from elsewhere.
 */
export class WhoIsAsked {
  readonly #ctx: ExtensionContext;
  readonly #budgets: SessionBudgets;
  readonly #parking: PrintParking | undefined;
  readonly #notifications: Notifications | undefined;
  readonly #session: () => OfSession;

  constructor(
    ctx: ExtensionContext,
    budgets: SessionBudgets,
    parking: PrintParking | undefined,
    notifications: Notifications | undefined,
    session: () => OfSession,
  ) {
    this.#ctx = ctx;
    this.#budgets = budgets;
    this.#parking = parking;
    this.#notifications = notifications;
    this.#session = session;
  }

  /** Asks whoever there is. `undefined`: there is nobody to ask. */
  get ask(): AskSomebody | undefined {
    if (this.#isAbove) return (ask, withdrawn) => this.#askAbove(ask, withdrawn);
    if (this.#ctx.hasUI) return (ask, withdrawn) => this.#session().asking.ask(ask, withdrawn);
    if (this.#parking || this.#notifications)
      return (ask, withdrawn) => this.#askWithoutTerminal(ask, withdrawn);
    return undefined;
  }

  /** A person prompted: a session above may be asked again. */
  prompted(): void {
    this.#mayAskAbove(true);
  }

  /** The run waits for a limit to start over: where there is no UI, nobody would know that. */
  tellOfWait(ask: Boundary & { waits?: Ask["waits"] }): void {
    if (!ask.waits || this.#ctx.hasUI || this.#parking?.hasReplyTo(ask as Ask)) return;
    say(this.#ctx, waitingText(ask), "warning");
  }

  /** Is there a person only at a session above? */
  get #isAbove(): boolean {
    return !this.#ctx.hasUI && this.#budgets.above?.ask !== undefined;
  }

  async #askWithoutTerminal(ask: Ask, withdrawn: AbortSignal): Promise<Reply> {
    const reply = (await this.#parking?.ask(ask, this.#session().run)) ?? "unanswered";
    if (reply !== "unanswered" || !this.#notifications) return reply;
    return this.#notifications.askElsewhere(ask, withdrawn);
  }

  // A no, or nobody to say it: the agent hands back what it has, in an answer without tools.
  async #askAbove(ask: Ask, withdrawn: AbortSignal): Promise<Reply> {
    const { run, asking } = this.#session();
    const reply = await asking.askAbove(ask, withdrawn, run.shared.member);
    if (reply === false && !withdrawn.aborted) this.#mayAskAbove(false);
    return reply;
  }

  #mayAskAbove(canAsk: boolean): void {
    if (!this.#isAbove) return;
    const { run } = this.#session();
    const { settings } = run.view;
    if (settings.canAsk === canAsk) return;
    run.configure({ ...(settings as GovernorSettings), canAsk });
  }
}
