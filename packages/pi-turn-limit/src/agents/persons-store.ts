import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Store } from "turn-limit";
import { sqliteStore } from "../core.ts";

/**
 * The store of a person's budgets: an SQLite file, opened when it is first needed. That there was one is kept beside it,
 * so that a store that was deleted is noticed, and does not quietly start from nothing.
 */
export class PersonsStore implements Store {
  readonly file: string;
  #store: Store | undefined;
  #isMarked = false;

  constructor(file: string) {
    this.file = file;
  }

  take: Store["take"] = (take, within) => this.#use((store) => store.take(take, within));
  change: Store["change"] = (pool, change, within) =>
    this.#use((store) => store.change(pool, change, within));
  read: Store["read"] = (pool) => this.#use((store) => store.read(pool));
  look: Store["look"] = (pool) => this.#use((store) => store.look(pool));
  delete: Store["delete"] = (pool) => this.#use((store) => store.delete(pool));
  list: Store["list"] = () => this.#use((store) => store.list());
  now: Store["now"] = () => this.#use((store) => store.now());

  /** The person knows that the store was deleted. Another one takes its place. */
  acceptLoss(): void {
    if (existsSync(this.file)) return;
    try {
      rmSync(this.#mark, { force: true });
    } catch {
      // The next session is asked again.
    }
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    this.#isMarked = false;
    await store?.close();
  }

  // Rejects where the store cannot be used.
  async #use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const result = await work(this.#open());
    this.#keepMark();
    return result;
  }

  #open(): Store {
    if (this.#store) return this.#store;
    if (existsSync(this.#mark) && !existsSync(this.file))
      throw new Error(`${this.file} was deleted. To start from nothing, delete ${this.#mark}, too.`);
    this.#store = sqliteStore(this.file);
    return this.#store;
  }

  // Once there is a file, that there was one is known. Where that cannot be written, the store works all the same.
  #keepMark(): void {
    if (this.#isMarked || !existsSync(this.file)) return;
    this.#isMarked = true;
    try {
      if (!existsSync(this.#mark)) writeFileSync(this.#mark, "");
    } catch {
      // Then nobody notices that it was deleted.
    }
  }

  get #mark(): string {
    return `${this.file}.kept`;
  }
}
