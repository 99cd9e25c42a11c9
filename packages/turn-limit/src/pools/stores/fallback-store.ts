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
    if (!this.#memory) this.#ahead = taken.now - Date.now();
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
      if (!this.isAutomatic) throw error;
      this.fallBack();
      return request(this.#current);
    }
  }

  #opened(take: Take): Take {
    const isFirst = this.#first === undefined;
    this.#first ??= take.incarnation;
    if (take.incarnation !== this.#first) return take;
    const used = amounts(take.used);
    add(used, this.#journal.before);
    // What the store had answered, the memory does not know.
    return { ...take, used, ...(isFirst && { answered: 0, heard: 0 }) };
  }
}
