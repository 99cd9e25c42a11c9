import type { Max, Store } from "turn-limit";
import { fromUnits, Journal, type ManagedPool, managedPool, PoolRequests, toUnits } from "../core.ts";

const DAY = 86_400_000;
/** How long to leave a store alone that failed, in milliseconds: each attempt may take seconds, and the run waits for it. */
const LEFT_ALONE = 30_000;
const OWNER = { id: "owner", name: "prompt" };

/** What agents drew from a budget, in its own measures. */
export interface Drawn {
  readonly tokens: number;
  readonly cost: number;
}

/** What a run has used since its prompt. */
export type UsedByRun = Drawn & { readonly time: number };

/** Another agent that draws from a budget, and what it took so far. */
export interface DrawingAgent extends Drawn {
  readonly id: string;
  /** Its task, in a few words. */
  readonly name: string;
  /** Is it still at work? */
  readonly isPresent: boolean;
}

/** What lasts of it over a reload. In whole units, as the store has them. */
export interface PromptPoolState {
  readonly id: string;
  /** What the run has settled itself. */
  readonly settled: Readonly<Record<string, number>>;
  /** What it counted for others. */
  readonly counted: Drawn;
}

/**
 * The budget of a prompt in the person's store, for the agents below to draw from. The run keeps its own limits. It says
 * here what they have left, and counts what the others take.
 */
export class PromptPool {
  readonly id: string;
  agents: readonly DrawingAgent[] = [];
  readonly #store: Store;
  readonly #settledBefore: Readonly<Record<string, number>> | undefined;
  #counted: Drawn;
  /** What all together have settled, as far as is known. */
  #settled: Readonly<Record<string, number>> = {};
  #admitted = "";
  #managed: ManagedPool | undefined;
  #made: PoolRequests | undefined;
  #failed: { readonly error: unknown; readonly at: number } | undefined;

  constructor(state: Pick<PromptPoolState, "id"> & Partial<PromptPoolState>, store: Store) {
    const { id, settled, counted = { tokens: 0, cost: 0 } } = state;
    this.id = id;
    this.#counted = counted;
    this.#store = store;
    this.#settledBefore = settled;
  }

  // Made when something draws from it: most prompts start no agents.
  get #pool(): ManagedPool {
    this.#managed ??= managedPool({ id: this.id, store: this.#store, keepFor: DAY });
    return this.#managed;
  }

  get #requests(): PoolRequests {
    this.#made ??= new PoolRequests(this.#pool.definition, OWNER, new Journal(this.#settledBefore));
    return this.#made;
  }

  get state(): PromptPoolState {
    return { id: this.id, settled: { ...this.#requests.journal.settled }, counted: this.#counted };
  }

  /**
   * Settles what the run has used since the prompt, with what it counted for others. Returns what others have taken since
   * it last did.
   */
  async settle(used: UsedByRun): Promise<Drawn> {
    this.#settled = (await this.#take(used, {})).settled;
    const [tokens, cost] = [this.#takenByOthers("tokens"), this.#takenByOthers("cost")];
    this.#counted = { tokens: this.#counted.tokens + tokens, cost: this.#counted.cost + cost };
    return { tokens, cost: fromUnits("cost", cost) };
  }

  /** The run is over. What was left of it stays there, for agents that still work. */
  async leave(used: UsedByRun): Promise<void> {
    await this.#take(used, { leaves: true });
  }

  #take({ tokens, cost, time }: UsedByRun, request: { leaves?: boolean }): ReturnType<PoolRequests["take"]> {
    const own = {
      tokens: toUnits("tokens", tokens) - this.#counted.tokens,
      cost: toUnits("cost", cost) - this.#counted.cost,
      time: toUnits("time", time),
    };
    return this.#unlessFailed(() => this.#requests.take(request, own));
  }

  // A lease that ended counts for more than was used, until its member comes back. Nothing is taken back for that.
  #takenByOthers(measure: keyof Drawn): number {
    const { settled: own } = this.#requests.journal;
    const byOthers = (this.#settled[measure] ?? 0) - (own[measure] ?? 0);
    return Math.max(0, byOthers - this.#counted[measure]);
  }

  /** Says what the run's own limits have left; of a limit that was passed, less than nothing. Looks who draws from it. */
  async admit(left: Readonly<Record<keyof UsedByRun, Max>>): Promise<void> {
    const most = (measure: keyof UsedByRun) => {
      const rest = left[measure];
      return rest === "unlimited"
        ? rest
        : Math.max(0, fromUnits(measure, this.#settled[measure] ?? 0) + rest);
    };
    const admitted = { tokens: most("tokens"), cost: most("cost"), time: most("time") };
    const key = JSON.stringify(admitted);
    await this.#unlessFailed(async () => {
      if (key !== this.#admitted) await this.#pool.admit(admitted);
      this.#admitted = key;
      const { members } = await this.#pool.read();
      const others = members.filter(({ id }) => id !== OWNER.id);
      this.agents = others.map(({ used: { tokens = 0, cost = 0 }, ...agent }) => ({
        ...agent,
        tokens,
        cost,
      }));
    });
  }

  async #unlessFailed<T>(use: () => Promise<T>): Promise<T> {
    if (this.#failed && Math.abs(Date.now() - this.#failed.at) < LEFT_ALONE) throw this.#failed.error;
    try {
      const result = await use();
      this.#failed = undefined;
      return result;
    } catch (error) {
      this.#failed = { error, at: Date.now() };
      throw error;
    }
  }
}
