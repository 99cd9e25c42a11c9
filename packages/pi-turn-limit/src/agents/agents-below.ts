import { existsSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Usage } from "turn-limit";
import type { Run } from "../core.ts";
import { AgentsQuestions } from "./agents-questions.ts";
import { handDown } from "./handed-down.ts";
import type { PromptBudget, PromptBudgetState } from "./prompt-budget.ts";
import { type PersonAbove, RepliesOfSession, type ShownCounters } from "./replies-to-agents.ts";
import type { SessionBudgets } from "./session-budgets.ts";
import { isFirstInPi, questionsPlace } from "./session-place.ts";

/** How often a session looks at what the agents below it do. */
const LOOK_EVERY = 300;

/** The agents below a session: hands budgets down to them, looks at what they draw, and has their questions answered. */
export class AgentsBelow {
  readonly #ctx: ExtensionContext;
  readonly #budgets: SessionBudgets;
  readonly #prompt: PromptBudget;
  readonly #person: PersonAbove;
  readonly #counters: ShownCounters;
  readonly #questions: AgentsQuestions;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    ctx: ExtensionContext,
    run: Run,
    budgets: SessionBudgets,
    prompt: PromptBudget,
    person: PersonAbove,
    counters: ShownCounters,
  ) {
    this.#ctx = ctx;
    this.#budgets = budgets;
    this.#prompt = prompt;
    this.#person = person;
    this.#counters = counters;
    const replies = new RepliesOfSession(run, budgets, prompt, person, counters);
    this.#questions = new AgentsQuestions(questionsPlace().pool, budgets.store, replies);
  }

  /** What another instance of the extension goes on with. */
  get state(): PromptBudgetState {
    return this.#prompt.state;
  }

  /** The limits have changed, or others hold from now on: agents that are started from now on get these. */
  handDown(): void {
    // What is under way may start agents.
    if (this.#prompt.mustOpen) void this.#open();
    const own = this.#timer && { pool: this.#questions.pool, pid: process.pid };
    const ask = this.#ctx.hasUI ? own : this.#budgets.above?.ask;
    handDown(this.#ctx, this.#budgets.handedDown(this.#prompt.handed, ask));
  }

  /** A person prompted: another budget. */
  prompted(): void {
    this.#prompt.prompted();
    this.handDown();
  }

  /** A tool call begins. It may start agents, so what they can draw from has to be there. */
  async callBegins(id: string): Promise<void> {
    this.#prompt.callBegins(id);
    this.watch();
    await this.#open();
  }

  /** A tool call has its result, which may report what it spent. */
  resultArrived(id: string, reported: Usage | undefined): Promise<void> {
    return this.#prompt.resultArrived(id, reported);
  }

  /** Counts what agents have drawn by now. */
  update(): Promise<void> {
    return this.#prompt.update();
  }

  /** The run is over. */
  async settled(): Promise<void> {
    if (await this.#prompt.settled()) this.handDown();
  }

  /** Goes on with the questions of agents that an earlier session of this process has started. */
  goOn(): void {
    if (this.#ctx.hasUI && isFirstInPi(this.#ctx) && questionsPlace().isWatched) this.watch();
  }

  /** Looks at the agents from now on. Those that are started from now on can ask the person. */
  watch(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => {
      // The session may have ended without a word, and then nothing of it can be used any more.
      this.#look().catch(() => clearInterval(this.#timer));
    }, LOOK_EVERY).unref();
    if (this.#ctx.hasUI) questionsPlace().isWatched = true;
    this.handDown();
  }

  /** The session ends, or this instance of the extension. `isLast`: no other one goes on with the questions. */
  async close(isLast: boolean): Promise<void> {
    clearInterval(this.#timer);
    if (isLast && this.#looksForQuestions) await this.#questions.close().catch(() => undefined);
    else this.#questions.giveWay();
    await this.#prompt.finished();
  }

  async #open(): Promise<void> {
    if (await this.#prompt.open()) this.handDown();
  }

  get #looksForQuestions(): boolean {
    return this.#ctx.hasUI && existsSync(this.#budgets.store.file);
  }

  async #look(): Promise<void> {
    // What has begun takes longer than that.
    if (!this.#prompt.isFree) return;
    if (this.#prompt.isDrawnFrom) {
      await this.#prompt.update();
      this.#counters.refresh();
    }
    if (this.#looksForQuestions) await this.#questions.look(this.#person.isFree).catch(() => undefined);
  }
}
