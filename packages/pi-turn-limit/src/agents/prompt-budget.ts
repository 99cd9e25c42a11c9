import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Max, Usage } from "turn-limit";
import { isOwn, messageOf, type Run, SerialQueue } from "../core.ts";
import { type HandedPrompt, PROMPT } from "./handed-down.ts";
import {
  type BudgetOfRun,
  type DrawingAgent,
  type Drawn,
  DrawnCredit,
  PromptPool,
  type PromptPoolState,
} from "./prompt-pool.ts";
import type { SessionBudgets } from "./session-budgets.ts";
import { isFirstInPi } from "./session-place.ts";

/** What lasts of it over a reload. */
export interface PromptBudgetState {
  readonly pool: PromptPoolState;
  readonly isOpen: boolean;
  readonly isSaid: boolean;
  readonly calls: readonly string[];
  readonly credit: Drawn;
}

/** The budget of a prompt, as far as agents below draw from it: opens it for them, and counts what they take. */
export class PromptBudget {
  readonly #ctx: ExtensionContext;
  readonly #run: Run;
  readonly #budgets: SessionBudgets;
  readonly #warn: (message: string) => void;
  readonly #credit = new DrawnCredit();
  readonly #queue = new SerialQueue();
  /** The tool calls that are under way: each may have started agents. */
  readonly #calls: Set<string>;
  #pool: PromptPool;
  #isOpen: boolean;
  /** Is it open, and does it say how much is left? */
  #isSaid: boolean;
  #hasWarned = false;

  constructor(
    ctx: ExtensionContext,
    run: Run,
    budgets: SessionBudgets,
    warn: (message: string) => void,
    before?: PromptBudgetState,
  ) {
    this.#ctx = ctx;
    this.#run = run;
    this.#budgets = budgets;
    this.#warn = warn;
    this.#pool = this.#newPool(before?.pool);
    this.#isOpen = before?.isOpen ?? false;
    this.#isSaid = before?.isSaid ?? false;
    this.#calls = new Set(before?.calls);
    if (before) this.#credit.add(before.credit);
  }

  /** What another instance of the extension goes on with. */
  get state(): PromptBudgetState {
    return {
      pool: this.#pool.state,
      isOpen: this.#isOpen,
      isSaid: this.#isSaid,
      calls: [...this.#calls],
      credit: this.#credit.drawn,
    };
  }

  /** The agents that draw from it, besides the one that was prompted. */
  get agents(): readonly DrawingAgent[] {
    return this.#pool.agents;
  }

  /** The pool that agents draw from. */
  get pool(): string {
    return this.#pool.id;
  }

  /** Is the run over? What is drawn after it is not its own: the pool keeps what was left. */
  get isOver(): boolean {
    return this.#run.view.status === "idle";
  }

  /** May a tool call, or an agent, still take something from it? */
  get isDrawnFrom(): boolean {
    return this.#isOpen && this.#mayBeReported;
  }

  /** May an agent be started by what is under way, though the budget is not open for it yet? */
  get mustOpen(): boolean {
    return this.#calls.size > 0 && this.#isNeeded && !this.#isOpen;
  }

  /** Is nothing being counted just now? */
  get isFree(): boolean {
    return this.#queue.isFree;
  }

  /** What the agents below are told of it; nothing where they need not draw from it. */
  get handed(): HandedPrompt | undefined {
    const { values } = this.#budgets;
    if (!this.#isNeeded || !values) return undefined;
    const { tokens, cost, time } = values;
    const { cacheReads, cacheWrites } = tokens;
    const { left } = this.#ofRun;
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

  /** A person prompted: another budget. */
  prompted(): void {
    this.#pool = this.#newPool();
    this.#isOpen = this.#isSaid = false;
    this.#calls.clear();
    this.#credit.clear();
  }

  /** A tool call begins, and may start agents. */
  callBegins(id: string): void {
    this.#calls.add(id);
  }

  /** A tool call has its result, which may report what it spent. What agents drew is not counted again. */
  async resultArrived(id: string, reported: Usage | undefined): Promise<void> {
    await this.update();
    if (reported) this.#run.spend("nested", this.#credit.beyond(reported, this.#tokensOf(reported)));
    this.#calls.delete(id);
    if (!this.#mayBeReported) this.#credit.clear();
  }

  /** Makes it one that agents can draw from, if they need to. Returns whether what they are told of it has changed. */
  async open(): Promise<boolean> {
    if (!this.#isNeeded) return false;
    const pool = this.#pool;
    this.#isOpen = true;
    const isUpdated = await this.refresh();
    if (!isUpdated || this.#isSaid || pool !== this.#pool) return false;
    this.#isSaid = true;
    return true;
  }

  /** Counts what agents have drawn by now. */
  async update(): Promise<void> {
    if (this.#isOpen) await this.refresh();
  }

  /** The same, also where it was not opened yet. Returns whether it could be done. */
  refresh(): Promise<boolean> {
    const pool = this.#pool;
    return this.#queue.add(async () => {
      if (pool !== this.#pool || this.isOver) return false;
      try {
        await pool.update(this.#ofRun);
        return true;
      } catch (error) {
        this.#failed(error);
        return false;
      }
    });
  }

  /** The run is over. Returns whether agents that are started from now on have what it left. */
  async settled(): Promise<boolean> {
    this.#calls.clear();
    const pool = this.#pool;
    const run = this.#ofRun;
    if (this.#isOpen) await this.#queue.add(() => pool.leave(run).catch(() => undefined));
    return !this.#isOpen;
  }

  /** Resolves when what has begun is counted. */
  finished(): Promise<void> {
    return this.#queue.done();
  }

  #newPool(before: string | PromptPoolState = `${PROMPT}${this.#budgets.session} ${Date.now()}`): PromptPool {
    return new PromptPool(before, "prompt", this.#budgets.store);
  }

  // Agents draw from a pool only where something limits them, or where what they draw must not be counted twice.
  get #isNeeded(): boolean {
    const { values, pools } = this.#budgets;
    if (!isFirstInPi(this.#ctx)) return false;
    const own = values ? [values.tokens.max, values.cost.max, values.time.max] : [];
    return pools.length > 0 || own.some((max) => max !== "unlimited");
  }

  get #mayBeReported(): boolean {
    return this.#calls.size > 0 || this.agents.some(({ isPresent }) => isPresent);
  }

  // The run's own limits hold all the same, and the agents cannot begin without the store.
  #failed(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#warn(`Sub-agents cannot draw from your budget, so they will not start: ${messageOf(error)}`);
  }

  get #ofRun(): BudgetOfRun {
    const run = this.#run;
    const credit = this.#credit;
    const tokensOf = (usage: Usage) => this.#tokensOf(usage);
    return {
      get used() {
        const { totals } = run.view;
        return { tokens: tokensOf(totals), cost: totals.cost, time: totals.time };
      },
      get left() {
        const left = (kind: "tokens" | "cost" | "time"): Max => {
          const own = run.view.standings.find(({ identity }) => isOwn(identity, kind));
          return !own || own.max === "unlimited" ? "unlimited" : own.max - own.used;
        };
        return { tokens: left("tokens"), cost: left("cost"), time: left("time") };
      },
      spentByOthers(drawn) {
        const usage = { input: drawn.tokens, output: 0, cost: drawn.cost };
        // The agents settle it themselves.
        run.spend("nested", usage, { settled: true });
        credit.add(drawn);
      },
    };
  }

  #tokensOf({ input, output, cacheRead = 0, cacheWrite = 0 }: Usage): number {
    const { cacheReads = false, cacheWrites = false } = this.#budgets.values?.tokens ?? {};
    return input + output + (cacheReads ? cacheRead : 0) + (cacheWrites ? cacheWrite : 0);
  }
}
