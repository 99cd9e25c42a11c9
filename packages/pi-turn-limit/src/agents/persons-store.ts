import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Store } from "turn-limit";
import { sqliteStore } from "../core.ts";

/**
 * The store of a person's budgets: an SQLite file, opened when it is first needed. That there was one is kept beside it,
 * so that a store that was deleted or emptied is noticed, and does not quietly start from nothing.
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

  /** The person knows that what was in the store is lost. Another one takes its place. */
  acceptLoss(): void {
    if (this.#loss) this.#dropMark();
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    this.#isMarked = false;
    await store?.close();
  }

  // Rejects where the store cannot be used.
  async #use<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const loss = this.#loss;
    if (loss) {
      await this.close();
      throw new Error(`${this.file} ${loss}. To start from nothing, delete ${this.#mark}.`);
    }
    this.#store ??= sqliteStore(this.file);
    try {
      const result = await work(this.#store);
      this.#keepMark();
      return result;
    } catch (error) {
      if (saysToDelete(error)) await this.#giveUp();
      throw error;
    }
  }

  // The person is told to delete the file. Once they have, that is enough.
  async #giveUp(): Promise<void> {
    await this.close();
    this.#dropMark();
  }

  #dropMark(): void {
    try {
      rmSync(this.#mark, { force: true });
    } catch {
      // The next session is asked again.
    }
  }

  /** What has become of the store that there was, if what was in it is lost. */
  get #loss(): "was deleted" | "was emptied" | undefined {
    const size = this.#size;
    if (size || !existsSync(this.#mark)) return undefined;
    return size === undefined ? "was deleted" : "was emptied";
  }

  get #size(): number | undefined {
    return statSync(this.file, { throwIfNoEntry: false })?.size;
  }

  // Once something is in the file, that there was one is known. Where that cannot be written, the store works all the same.
  #keepMark(): void {
    if (this.#isMarked || !this.#size) return;
    this.#isMarked = true;
    try {
      if (!existsSync(this.#mark)) writeFileSync(this.#mark, "");
    } catch {
      // Then nobody notices that it is lost.
    }
  }

  get #mark(): string {
    return `${this.file}.kept`;
  }
}

/** Is it the error for a store that is damaged? */
function saysToDelete(error: unknown): boolean {
  return error instanceof Error && error.message.includes("delete it");
}
