import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Max, Store, Usage } from "turn-limit";
import { isOwn, messageOf, type Run, SerialQueue } from "../core.ts";
import { type HandedPrompt, PROMPT } from "./handed-down.ts";
import {
  type DrawingAgent,
  type Drawn,
  PromptPool,
  type PromptPoolState,
  type UsedByRun,
} from "./prompt-pool.ts";
import type { SessionBudgets } from "./session-budgets.ts";
import { isFirstInPi } from "./session-place.ts";

/**
 * - `closed`: no agent draws from it
 * - `opening`: agents may be started, and the store is told what is left
 * - `open`: the store says what is left
 */
type Phase = "closed" | "opening" | "open";

/** What lasts of it over a reload. */
export interface PromptBudgetState {
  readonly pool: PromptPoolState;
  readonly phase: Phase;
  readonly calls: readonly string[];
  readonly credit: Drawn;
}

/** What it has to know of the session's budgets. */
type Budgets = Pick<SessionBudgets, "session" | "values" | "pools"> & { readonly store: Store };

const NOTHING: Drawn = { tokens: 0, cost: 0 };

/** The budget of a prompt, as far as agents below draw from it: opens it for them, and counts what they take. */
export class PromptBudget {
  readonly #ctx: ExtensionContext;
  readonly #run: Run;
  readonly #budgets: Budgets;
  readonly #warn: (message: string) => void;
  readonly #queue = new SerialQueue();
  /** The tool calls that are under way: each may have started agents. */
  readonly #calls: Set<string>;
  #pool: PromptPool;
  #phase: Phase;
  /** What agents drew, and was counted, while a tool call is under way that may report it. */
  #credit: Drawn;
  #hasWarned = false;

  constructor(
    ctx: ExtensionContext,
    run: Run,
    budgets: Budgets,
    warn: (message: string) => void,
    before?: PromptBudgetState,
  ) {
    this.#ctx = ctx;
    this.#run = run;
    this.#budgets = budgets;
    this.#warn = warn;
    this.#pool = before ? new PromptPool(before.pool, budgets.store) : this.#newPool();
    this.#phase = before?.phase ?? "closed";
    this.#calls = new Set(before?.calls);
    this.#credit = before?.credit ?? NOTHING;
  }

  /** What another instance of the extension goes on with. */
  get state(): PromptBudgetState {
    return { pool: this.#pool.state, phase: this.#phase, calls: [...this.#calls], credit: this.#credit };
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
    return this.#phase !== "closed" && this.#mayBeReported;
  }

  /** May an agent be started by what is under way, though the budget is not open for it yet? */
  get mustOpen(): boolean {
    return this.#calls.size > 0 && this.#isNeeded && this.#phase === "closed";
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
    const isOpen = this.#phase === "open";
    const max = (kind: keyof UsedByRun) => {
      const [set, left] = [values[kind].max, this.#left[kind]];
      return isOpen || set === "unlimited" || left === "unlimited" ? set : Math.max(0, Math.min(set, left));
    };
    return {
      ...{ pool: this.#pool.id, isOpen },
      tokens: { max: max("tokens"), cacheReads, cacheWrites },
      cost: { max: max("cost"), unpriced: cost.max === "unlimited" ? "warn" : cost.unpriced },
      ...(time.max !== "unlimited" && { time: { max: max("time") as number } }),
    };
  }

  /** A person prompted: another budget. */
  prompted(): void {
    this.#pool = this.#newPool();
    this.#phase = "closed";
    this.#calls.clear();
    this.#credit = NOTHING;
  }

  /** A tool call begins, and may start agents. */
  callBegins(id: string): void {
    this.#calls.add(id);
  }

  /** A tool call has its result, which may report what it spent. What agents drew is not counted again. */
  async resultArrived(id: string, reported: Usage | undefined): Promise<void> {
    await this.update();
    if (reported) this.#run.spend("nested", this.#beyondCredit(reported));
    this.#calls.delete(id);
    if (!this.#mayBeReported) this.#credit = NOTHING;
  }

  #beyondCredit(reported: Usage): Usage {
    const credit = this.#credit;
    if (credit.tokens === 0 && credit.cost === 0) return reported;
    const { cost } = reported;
    const tokens = this.#tokensOf(reported);
    const known = { tokens: Math.min(tokens, credit.tokens), cost: Math.min(cost ?? 0, credit.cost) };
    this.#credit = { tokens: credit.tokens - known.tokens, cost: credit.cost - known.cost };
    return {
      input: tokens - known.tokens,
      output: 0,
      ...(cost !== undefined && { cost: cost - known.cost }),
    };
  }

  /** Makes it one that agents can draw from, if they need to. Returns whether what they are told of it has changed. */
  async open(): Promise<boolean> {
    if (!this.#isNeeded) return false;
    const pool = this.#pool;
    if (this.#phase === "closed") this.#phase = "opening";
    const isUpdated = await this.refresh();
    if (!isUpdated || this.#phase !== "opening" || pool !== this.#pool) return false;
    this.#phase = "open";
    return true;
  }

  /** Counts what agents have drawn by now. */
  async update(): Promise<void> {
    if (this.#phase !== "closed") await this.refresh();
  }

  /** The same, also where it was not opened yet. Returns whether it could be done. */
  refresh(): Promise<boolean> {
    const pool = this.#pool;
    return this.#queue.add(async () => {
      if (pool !== this.#pool || this.isOver) return false;
      try {
        this.#count(await pool.settle(this.#used));
        await pool.admit(this.#left);
        return true;
      } catch (error) {
        this.#failed(error);
        return false;
      }
    });
  }

  #count({ tokens, cost }: Drawn): void {
    if (tokens === 0 && cost === 0) return;
    // The agents settle it themselves.
    this.#run.spend("nested", { input: tokens, output: 0, cost }, { settled: true });
    this.#credit = { tokens: this.#credit.tokens + tokens, cost: this.#credit.cost + cost };
  }

  /** The run is over. Returns whether agents that are started from now on have what it left. */
  async settled(): Promise<boolean> {
    this.#calls.clear();
    const pool = this.#pool;
    const used = this.#used;
    const isClosed = this.#phase === "closed";
    if (!isClosed) await this.#queue.add(() => pool.leave(used).catch(() => undefined));
    return isClosed;
  }

  /** Resolves when what has begun is counted. */
  finished(): Promise<void> {
    return this.#queue.done();
  }

  #newPool(): PromptPool {
    const { session, store } = this.#budgets;
    return new PromptPool({ id: `${PROMPT}${session} ${Date.now()}` }, store);
  }

  // Agents draw from a pool only where something limits them, or where what they draw must not be counted twice.
  get #isNeeded(): boolean {
    const { values, pools } = this.#budgets;
    const own = values ? [values.tokens.max, values.cost.max, values.time.max] : [];
    const isLimited = pools.length > 0 || own.some((max) => max !== "unlimited");
    // Last: every tool call asks, and the name of the process is slow to read.
    return isLimited && isFirstInPi(this.#ctx);
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

  get #used(): UsedByRun {
    const { totals } = this.#run.view;
    return { tokens: this.#tokensOf(totals), cost: totals.cost, time: totals.time };
  }

  get #left(): Readonly<Record<keyof UsedByRun, Max>> {
    const { standings } = this.#run.view;
    const left = (kind: keyof UsedByRun) => {
      const own = standings.find(({ identity }) => isOwn(identity, kind));
      return !own || own.max === "unlimited" ? "unlimited" : own.max - own.used;
    };
    return { tokens: left("tokens"), cost: left("cost"), time: left("time") };
  }

  #tokensOf({ input, output, cacheRead = 0, cacheWrite = 0 }: Usage): number {
    const { cacheReads = false, cacheWrites = false } = this.#budgets.values?.tokens ?? {};
    return input + output + (cacheReads ? cacheRead : 0) + (cacheWrites ? cacheWrite : 0);
  }
}
