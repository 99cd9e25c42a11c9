import { messageOf } from "../../core/errors/message-of.ts";
import { type Amounts, add, amounts } from "../ledger/amounts.ts";
import type { Take, Taken } from "../ledger/store.ts";
import { memoryStore } from "./memory.ts";
import type { PoolStore } from "./with-timeout.ts";

/** What earlier incarnations of a member settled: it counts in the memory of its process, too. */
interface Settled {
  readonly before: Amounts;
}

/**
 * A store of one member that can fall back to the memory of this process: from then on the pool's limits hold for that
 * member by itself, with what it has used so far.
 */
export class FallbackStore implements PoolStore {
  /** Does it fall back as soon as the store fails? Otherwise when it is told to. */
  isAutomatic = false;
  /** Has the memory answered what the store does not know yet? */
  hasUntold = false;
  /** The run is over: nothing is gained by falling back, and the store has to be told what was used. */
  #isOver = false;
  readonly #store: PoolStore;
  readonly #journal: Settled;
  readonly #onFallBack: (problem: string) => void;
  #memory: PoolStore | undefined;
  /** The incarnation that was the first to ask the memory. It says what those before it used. */
  #first: number | undefined;
  #problem = "";
  /** How far the store's time is ahead of the machine's: the memory goes on with it. */
  #ahead = 0;

  constructor(store: PoolStore, journal: Settled, onFallBack: (problem: string) => void) {
    this.#store = store;
    this.#journal = journal;
    this.#onFallBack = onFallBack;
  }

  /** Is it the memory of this process that answers? */
  get isAlone(): boolean {
    return this.#memory !== undefined;
  }

  /** A run begins, or goes on. */
  begin(): void {
    this.#isOver = false;
  }

  /** The run is over: the store is asked again. Requests say all that was used, also what was used alone. */
  comeBack(): void {
    this.#isOver = true;
    this.#memory = undefined;
    this.#first = undefined;
  }

  /** Goes on in memory. */
  fallBack(): void {
    if (this.#memory) return;
    this.#memory = memoryStore({ now: () => Date.now() + this.#ahead });
    this.#onFallBack(this.#problem);
  }

  async take(take: Take): Promise<Taken> {
    const taken = await this.#request((store) =>
      store.take(store === this.#memory ? this.#opened(take) : take),
    );
    this.hasUntold = this.isAlone;
    if (!this.isAlone) this.#ahead = taken.now - Date.now();
    return taken;
  }

  change: PoolStore["change"] = (pool, change) => this.#request((store) => store.change(pool, change));

  look: PoolStore["look"] = (pool) => this.#current.look(pool);

  read: PoolStore["read"] = (pool) => this.#current.read(pool);

  get #current(): PoolStore {
    return this.#memory ?? this.#store;
  }

  async #request<T>(request: (store: PoolStore) => Promise<T>): Promise<T> {
    if (this.#memory) return request(this.#memory);
    try {
      return await request(this.#store);
    } catch (error) {
      this.#problem = messageOf(error);
      if (!this.isAutomatic || this.#isOver) throw error;
      this.fallBack();
      return request(this.#current);
    }
  }

  #opened(take: Take): Take {
    this.#first ??= take.incarnation;
    const used = amounts(take.used);
    if (take.incarnation === this.#first) add(used, this.#journal.before);
    // What the store had answered, the memory does not know.
    return { ...take, used, answered: 0, heard: 0 };
  }
}
