import { existsSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Boundary, Max, Reply, Store, Usage } from "turn-limit";
import { type AgentsQuestion, AgentsQuestions } from "../budgets/agents-questions.ts";
import type { DrawingAgent, DrawingAgents } from "../budgets/drawing-agents.ts";
import { type Drawn, DrawnCredit } from "../budgets/drawn-credit.ts";
import {
  type HandedDown,
  type HandedPeriod,
  type HandedPrompt,
  PROMPT,
  writeHandedDown,
} from "../budgets/handed-down.ts";
import { poolOf } from "../budgets/period-pools.ts";
import { type BudgetOfRun, PromptPool, type PromptPoolState } from "../budgets/prompt-pool.ts";
import { type Driver, isReached, joinPool, type Pool } from "../core.ts";
import { say } from "../display/say.ts";
import { nameWithPeriod, type PeriodLimit } from "../limits/periods.ts";
import type { LimitValues } from "../limits/pi-limits.ts";
import { handDown } from "../process/handed-variable.ts";
import { questionsPlace } from "../process/questions-place.ts";
import { isFirstInPi } from "../process/session-place.ts";
import { OneAtATime } from "./one-at-a-time.ts";

/** How often a session looks at what the agents below it do. */
const LOOK_EVERY = 300;

/** The session that agents are started from. */
export interface AgentsParent {
  readonly driver: Driver;
  readonly ctx: ExtensionContext;
  /** The person's store, and its file. */
  readonly store: Store;
  readonly file: string;
  /** What was handed down to it, and is not among its own limits for a period. */
  readonly handed: HandedDown | undefined;
  /** Its own limits. */
  readonly values: LimitValues | undefined;
  readonly periodLimits: readonly PeriodLimit[];
  readonly pools: readonly Pool[];
  /** May a question be shown now? */
  readonly isFree: boolean;
  /** Asks the person for an agent, which took this much of the budget itself. */
  ask(question: AgentsQuestion, signal: AbortSignal, agent: DrawingAgent | undefined): Promise<Reply>;
  /** What the agents do is to be shown. */
  changed(): void;
}

/** What lasts of them over a reload. */
export interface AgentsState {
  readonly pool: PromptPoolState;
  readonly isOpen: boolean;
  readonly isSaid: boolean;
  readonly calls: readonly string[];
  readonly credit: Drawn;
}

/** The agents below a session: hands budgets down to them, counts what they draw, and asks the person for them. */
export class AgentsBelow implements DrawingAgents {
  readonly #parent: AgentsParent;
  readonly #session: string;
  readonly #credit = new DrawnCredit();
  readonly #questions: AgentsQuestions;
  readonly #inTurn = new OneAtATime();
  /** The tool calls that are under way: each may have started agents. */
  readonly #calls: Set<string>;
  #pool: PromptPool;
  #isOpen: boolean;
  /** Is it open, and does it say how much is left? */
  #isSaid: boolean;
  #timer: NodeJS.Timeout | undefined;
  #warned = false;

  constructor(parent: AgentsParent, session: string, before?: AgentsState) {
    this.#parent = parent;
    this.#session = session;
    this.#pool = this.#newPool(before?.pool);
    this.#isOpen = before?.isOpen ?? false;
    this.#isSaid = before?.isSaid ?? false;
    this.#calls = new Set(before?.calls);
    if (before) this.#credit.add(before.credit);
    this.#questions = new AgentsQuestions(questionsPlace().pool, parent.store, {
      isSettled: (question) => this.#isSettled(question),
      show: (question, signal) => this.#show(question, signal),
      allow: (question, reply) => this.#allow(question, reply),
    });
  }

  get agents(): readonly DrawingAgent[] {
    return this.#pool.agents;
  }

  /** The limits have changed, or others hold from now on: agents that are started from now on get these. */
  handDown(): void {
    // What is under way may start agents.
    if (this.#calls.size > 0 && this.#isNeeded && !this.#isOpen) void this.#open();
    const { ctx, handed, file, periodLimits } = this.#parent;
    const { pid } = process;
    const prompts = [...(handed?.prompts ?? []), ...(this.#isNeeded ? [this.#prompt] : [])];
    const periods = [...(handed?.periods ?? []), ...periodLimits.flatMap((limit) => this.#period(limit))];
    const own = this.#timer && { pool: this.#questions.pool, pid };
    const ask = ctx.hasUI ? own : handed?.ask;
    const hasNothing = prompts.length === 0 && periods.length === 0 && !ask;
    const given = { store: file, prompts, periods, ...(ask && { ask }) };
    handDown(ctx, hasNothing ? undefined : writeHandedDown(given));
  }

  /** A person prompted: another budget. */
  prompted(): void {
    this.#pool = this.#newPool();
    this.#isOpen = this.#isSaid = false;
    this.#calls.clear();
    this.#credit.clear();
    this.handDown();
  }

  /** A tool call begins. It may start agents, so what they can draw from has to be there. */
  async callBegins(id: string): Promise<void> {
    this.#calls.add(id);
    this.watch();
    if (this.#isNeeded) await this.#open();
  }

  /** A tool call has its result, which may report what it spent. What agents drew is not counted again. */
  async resultArrived(id: string, reported: Usage | undefined): Promise<void> {
    await this.update();
    if (reported)
      this.#parent.driver.spend("nested", this.#credit.beyond(reported, this.#tokensOf(reported)));
    this.#calls.delete(id);
    if (!this.#mayBeReported) this.#credit.clear();
  }

  /** Counts what agents have drawn by now. */
  async update(): Promise<void> {
    if (this.#isOpen) await this.#update();
  }

  /** The run is over. */
  async settled(): Promise<void> {
    this.#calls.clear();
    const pool = this.#pool;
    const run = this.#run;
    if (this.#isOpen) await this.#inTurn.do(() => pool.leave(run).catch(() => undefined));
    // What is started while the agent is idle has what the run left.
    else this.handDown();
  }

  /** The session ends, or this instance of the extension. `isLast`: no other one goes on with the questions. */
  async close(isLast: boolean): Promise<void> {
    clearInterval(this.#timer);
    if (isLast && this.#looksForQuestions) await this.#questions.close().catch(() => undefined);
    else this.#questions.giveWay();
    // What has begun has to be counted.
    await this.#inTurn.do(async () => undefined);
  }

  /** What another instance of the extension goes on with. */
  get state(): AgentsState {
    return {
      pool: this.#pool.state,
      isOpen: this.#isOpen,
      isSaid: this.#isSaid,
      calls: [...this.#calls],
      credit: this.#credit.drawn,
    };
  }

  async #open(): Promise<void> {
    const pool = this.#pool;
    this.#isOpen = true;
    const isUpdated = await this.#update();
    if (!isUpdated || this.#isSaid || pool !== this.#pool) return;
    this.#isSaid = true;
    this.handDown();
  }

  #newPool(before: string | PromptPoolState = `${PROMPT}${this.#session} ${Date.now()}`): PromptPool {
    return new PromptPool(before, "prompt", this.#parent.store);
  }

  get #isOver(): boolean {
    return this.#parent.driver.governor.view.status === "idle";
  }

  // Agents draw from a pool only where something limits them, or where what they draw must not be counted twice.
  get #isNeeded(): boolean {
    const { ctx, values, pools } = this.#parent;
    if (!isFirstInPi(ctx)) return false;
    const own = values ? [values.tokens.max, values.cost.max, values.time.max] : [];
    return pools.length > 0 || own.some((max) => max !== "unlimited");
  }

  get #prompt(): HandedPrompt {
    const { tokens, cost, time } = this.#parent.values as LimitValues;
    const { cacheReads, cacheWrites } = tokens;
    const { left } = this.#run;
    const max = (kind: keyof typeof left, set: Max) => {
      const rest = left[kind];
      return this.#isSaid || set === "unlimited" || rest === "unlimited"
        ? set
        : Math.max(0, Math.min(set, rest));
    };
    return {
      pool: this.#pool.id,
      isOpen: this.#isSaid,
      tokens: { max: max("tokens", tokens.max), cacheReads, cacheWrites },
      cost: { max: max("cost", cost.max), unpriced: cost.max === "unlimited" ? "warn" : cost.unpriced },
      ...(time.max !== "unlimited" && { time: { max: max("time", time.max) as number } }),
    };
  }

  #period({ kind, per, max, options }: PeriodLimit): HandedPeriod[] {
    if (max === "unlimited") return [];
    const { unpriced, cacheReads, cacheWrites } = options;
    return [
      {
        ...{ kind, per, max },
        ...(per === "session" && { session: this.#session }),
        ...(unpriced && { unpriced }),
        ...(cacheReads !== undefined && { cacheReads }),
        ...(cacheWrites !== undefined && { cacheWrites }),
      },
    ];
  }

  get #mayBeReported(): boolean {
    return this.#calls.size > 0 || this.agents.some(({ isPresent }) => isPresent);
  }

  get #looksForQuestions(): boolean {
    return this.#parent.ctx.hasUI && existsSync(this.#parent.file);
  }

  /** Goes on with the questions of agents that an earlier session of this process has started. */
  goOn(): void {
    const { ctx } = this.#parent;
    if (ctx.hasUI && isFirstInPi(ctx) && questionsPlace().isWatched) this.watch();
  }

  /** Looks at the agents from now on. Those that are started from now on can ask the person. */
  watch(): void {
    if (this.#timer) return;
    this.#timer = setInterval(() => {
      // The session may have ended without a word, and then nothing of it can be used any more.
      this.#look().catch(() => clearInterval(this.#timer));
    }, LOOK_EVERY).unref();
    if (this.#parent.ctx.hasUI) questionsPlace().isWatched = true;
    this.handDown();
  }

  async #look(): Promise<void> {
    // What has begun takes longer than that.
    if (!this.#inTurn.isFree) return;
    if (this.#isOpen && this.#mayBeReported) {
      await this.#update();
      this.#parent.changed();
    }
    if (this.#looksForQuestions) await this.#questions.look(this.#parent.isFree).catch(() => undefined);
  }

  #update(): Promise<boolean> {
    const pool = this.#pool;
    return this.#inTurn.do(async () => {
      // What is drawn after the run is not the run's own: the pool keeps what was left.
      if (pool !== this.#pool || this.#isOver) return false;
      return pool.update(this.#run).then(
        () => true,
        (error) => {
          this.#warn(error);
          return false;
        },
      );
    });
  }

  // The run's own limits hold all the same, and the agents cannot begin without the store.
  #warn(error: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    const why = error instanceof Error ? error.message : String(error);
    say(
      this.#parent.ctx,
      `Sub-agents cannot draw from your budget, so they will not start: ${why}`,
      "warning",
    );
  }

  get #run(): BudgetOfRun {
    const { driver } = this.#parent;
    const credit = this.#credit;
    const tokensOf = (usage: Usage) => this.#tokensOf(usage);
    const { view } = driver.governor;
    return {
      get used() {
        driver.governor.timeIs(Date.now());
        const { totals } = view;
        return { tokens: tokensOf(totals), cost: totals.cost, time: totals.time };
      },
      get left() {
        const left = (name: string): Max => {
          const { used, max = "unlimited" } = view.standings.find(({ limit }) => limit === name) ?? {
            used: 0,
          };
          return max === "unlimited" ? max : max - used;
        };
        return { tokens: left("tokens"), cost: left("cost"), time: left("time") };
      },
      spentByOthers(drawn) {
        driver.spendByMember({ input: drawn.tokens, output: 0, cost: drawn.cost });
        credit.add(drawn);
      },
    };
  }

  #tokensOf({ input, output, cacheRead = 0, cacheWrite = 0 }: Usage): number {
    const { cacheReads = false, cacheWrites = false } = this.#parent.values?.tokens ?? {};
    return input + output + (cacheReads ? cacheRead : 0) + (cacheWrites ? cacheWrite : 0);
  }

  // The limit of this session that a question is about, if it is one. A lower one below is the agent's own.
  #ownLimit({ limit, set = Infinity }: AgentsQuestion): string | undefined {
    const [kind = "", pool] = limit.split(" of pool ");
    if (pool === this.#pool.id) return this.#isOver ? undefined : kind;
    const isOfSession = pool === poolOf("session", this.#session);
    const name = isOfSession ? nameWithPeriod(kind, "session") : limit;
    const own = this.#parent.periodLimits.find((own) => own.name === name);
    if (!own || (own.per === "session" && !isOfSession)) return undefined;
    return set < Number(own.max) ? undefined : name;
  }

  #standingOf(limit: string | undefined): Boundary | undefined {
    return this.#parent.driver.governor.view.standings.find((standing) => standing.limit === limit);
  }

  // Finds out where the limits stand by now.
  async #refresh(): Promise<void> {
    await this.#update();
    const { driver } = this.#parent;
    await (this.#isOver ? driver.lookAtPools() : driver.settlePools());
  }

  // More may have been allowed since it was asked.
  async #isSettled(question: AgentsQuestion): Promise<boolean> {
    const limit = this.#ownLimit(question);
    if (limit === undefined) return false;
    await this.#refresh();
    const standing = this.#standingOf(limit);
    return standing !== undefined && !isReached(standing.used, standing.max);
  }

  #show(question: AgentsQuestion, signal: AbortSignal): Promise<Reply> {
    const agent = this.agents.find(({ id }) => id === question.member);
    const own = this.#standingOf(this.#ownLimit(question));
    return this.#parent.ask(own ? { ...question, ...own } : question, signal, agent);
  }

  async #allow(question: AgentsQuestion, reply: Reply): Promise<void> {
    if (reply === false || reply === "wrap-up" || reply === "unanswered") return;
    const own = this.#ownLimit(question);
    if (own !== undefined) {
      await this.#parent.driver.allow(own, reply);
      await this.#refresh();
      this.#parent.changed();
      return;
    }
    // An earlier prompt, or that of another session, which is not asked itself. Of its own limits the agent gets more by
    // the reply.
    const [, kind, id] = /^(\w+) of pool (prompt .*)$/s.exec(question.limit) ?? [];
    if (kind === undefined || id === undefined) return;
    const pool = joinPool({ id, store: this.#parent.store, [kind]: "unlimited" });
    await pool.extend(kind, reply === true ? question.max : reply === "unlimited" ? reply : reply.more);
  }
}
