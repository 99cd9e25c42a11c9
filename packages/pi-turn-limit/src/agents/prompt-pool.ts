import type { Max, Store, Usage } from "turn-limit";
import { fromUnits, Journal, type ManagedPool, managedPool, PoolRequests, toUnits } from "../core.ts";

const DAY = 86_400_000;
/** For so long a store that failed is left alone: each attempt may take seconds, and the run waits for it. */
const LEFT_ALONE = 30_000;
const OWNER = "owner";
const MEASURES = ["tokens", "cost"] as const;
const UNUSED = { told: { tokens: 0, cost: 0, time: 0 }, counted: { tokens: 0, cost: 0 } };

/** Another agent that draws from a budget. */
export interface DrawingAgent {
  readonly id: string;
  /** Its task, in a few words. */
  readonly name: string;
  /** What it took so far. */
  readonly tokens: number;
  readonly cost: number;
  /** Is it still at work? */
  readonly isPresent: boolean;
}

/** The run of a prompt, as far as its budget is concerned. */
export interface BudgetOfRun {
  /** What it has used since the prompt, with what it counted for others. */
  readonly used: Drawn & { readonly time: number };
  /** What its own limits have left; of a limit that was passed, less than nothing. */
  readonly left: Readonly<Record<"tokens" | "cost" | "time", Max>>;
  /** Others have used this. It has to count as its own. */
  spentByOthers(drawn: Drawn): void;
}

/** What lasts of it over a reload. In whole units, as the store has them. */
export interface PromptPoolState {
  readonly id: string;
  /** What the run told. */
  readonly told: Readonly<Record<"tokens" | "cost" | "time", number>>;
  /** What it counted for others. */
  readonly counted: Drawn;
}

/**
 * The budget of a prompt in the person's store, for the agents below to draw from. The run keeps its own limits. It says
 * here what they have left, and counts what the others take.
 */
export class PromptPool {
  readonly id: string;
  readonly #pool: ManagedPool;
  readonly #requests: PoolRequests;
  #counted: Drawn;
  #admitted = "";
  #failed: { readonly error: unknown; readonly at: number } | undefined;
  agents: readonly DrawingAgent[] = [];

  /** `before`: its id, or what lasted of it. */
  constructor(before: string | PromptPoolState, name: string, store: Store) {
    const { id, told, counted } = typeof before === "string" ? { ...UNUSED, id: before } : before;
    this.id = id;
    this.#counted = counted;
    this.#pool = managedPool({ id, store, keepFor: DAY });
    this.#requests = new PoolRequests(this.#pool.definition, { id: OWNER, name }, new Journal(told));
  }

  get state(): PromptPoolState {
    return { id: this.id, told: this.#settled, counted: this.#counted };
  }

  /** Tells the store what the run used, counts what others did, and says what is left. */
  async update(run: BudgetOfRun): Promise<void> {
    await this.#unlessFailed(async () => {
      const taken = await this.#settle(run);
      this.#count(taken.settled, run);
      await this.#admit(taken.settled, run);
      await this.#look();
    });
  }

  /** The run is over. What was left of it stays there, for agents that still work. */
  async leave(run: BudgetOfRun): Promise<void> {
    await this.#unlessFailed(() => this.#settle(run, true));
  }

  async #unlessFailed(use: () => Promise<unknown>): Promise<void> {
    if (this.#failed && Math.abs(Date.now() - this.#failed.at) < LEFT_ALONE) throw this.#failed.error;
    try {
      await use();
      this.#failed = undefined;
    } catch (error) {
      this.#failed = { error, at: Date.now() };
      throw error;
    }
  }

  async #settle({ used }: BudgetOfRun, leaves = false): ReturnType<PoolRequests["take"]> {
    const own = {
      tokens: toUnits("tokens", used.tokens) - this.#counted.tokens,
      cost: toUnits("cost", used.cost) - this.#counted.cost,
      time: toUnits("time", used.time),
    };
    return this.#requests.take(leaves ? { leaves } : {}, own);
  }

  // What the run itself has settled.
  get #settled(): PromptPoolState["told"] {
    const { tokens = 0, cost = 0, time = 0 } = this.#requests.journal.settled;
    return { tokens, cost, time };
  }

  // A lease that ended counts for more than was used, until its member comes back. Nothing is taken back for that.
  #count(settled: Readonly<Record<string, number>>, run: BudgetOfRun): void {
    const drawn = { tokens: 0, cost: 0 };
    for (const measure of MEASURES) {
      const byOthers = (settled[measure] ?? 0) - this.#settled[measure];
      const more = Math.max(0, byOthers - this.#counted[measure]);
      this.#counted = { ...this.#counted, [measure]: this.#counted[measure] + more };
      drawn[measure] = fromUnits(measure, more);
    }
    if (drawn.tokens > 0 || drawn.cost > 0) run.spentByOthers(drawn);
  }

  async #admit(settled: Readonly<Record<string, number>>, { left }: BudgetOfRun): Promise<void> {
    const most = (measure: "tokens" | "cost" | "time") => {
      const rest = left[measure];
      return rest === "unlimited" ? rest : Math.max(0, fromUnits(measure, settled[measure] ?? 0) + rest);
    };
    const admitted = { tokens: most("tokens"), cost: most("cost"), time: most("time") };
    const key = JSON.stringify(admitted);
    if (key === this.#admitted) return;
    await this.#pool.admit(admitted);
    this.#admitted = key;
  }

  async #look(): Promise<void> {
    const { members } = await this.#pool.read();
    this.agents = members
      .filter(({ id }) => id !== OWNER)
      .map(({ id, name, used: { tokens = 0, cost = 0 }, isPresent }) => ({
        id,
        name,
        tokens,
        cost,
        isPresent,
      }));
  }
}

/** What agents drew from a budget, in its own measures. */
export interface Drawn {
  readonly tokens: number;
  readonly cost: number;
}

/**
 * Remembers what agents drew from the budget while they worked, so that it is not counted again when the tool call that
 * started them reports it.
 */
export class DrawnCredit {
  #tokens = 0;
  #cost = 0;

  /** What was drawn and not reported yet. */
  get drawn(): Drawn {
    return { tokens: this.#tokens, cost: this.#cost };
  }

  /** This much was drawn, and counted. */
  add({ tokens, cost }: Drawn): void {
    this.#tokens += tokens;
    this.#cost += cost;
  }

  /** What a tool call reports beyond what was counted. `tokens`: how many tokens of the limit that is. */
  beyond(reported: Usage, tokens: number): Usage {
    if (this.#tokens === 0 && this.#cost === 0) return reported;
    const known = { tokens: Math.min(tokens, this.#tokens), cost: Math.min(reported.cost ?? 0, this.#cost) };
    this.#tokens -= known.tokens;
    this.#cost -= known.cost;
    return {
      input: tokens - known.tokens,
      output: 0,
      ...(reported.cost !== undefined && { cost: reported.cost - known.cost }),
    };
  }

  /** No call is under way any more that could report it. */
  clear(): void {
    this.#tokens = 0;
    this.#cost = 0;
  }
}
