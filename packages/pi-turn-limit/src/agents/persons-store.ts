import { statSync } from "node:fs";
import type { Store } from "turn-limit";
import { isRunRecord } from "../core.ts";
import { ExpectedRecords } from "./expected-records.ts";
import { isOfPeriod, REMEMBERED } from "./period-pools.ts";

let sqlite: typeof import("../core-sqlite.ts") | undefined;

/**
 * The store of a person's budgets: an SQLite file, opened when it is first needed. What must be in it is kept beside it, so
 * that a store that was deleted or emptied, and records that are missing, are noticed, and nothing quietly starts over.
 */
export class PersonsStore implements Store {
  readonly file: string;
  readonly #expected: ExpectedRecords;
  #store: Store | undefined;
  #isMarked = false;
  /** The records that are missing, until the person is told. */
  #lost: readonly string[] = [];

  constructor(file: string) {
    this.file = file;
    this.#expected = new ExpectedRecords(`${file}.kept`);
  }

  take: Store["take"] = (take, within) =>
    this.#use(async (store) => {
      if (take.want && isOfPeriod(take.pool)) this.#reportLost();
      const taken = await store.take(take, within);
      if (isOfPeriod(take.pool) && taken.kind === "granted")
        this.#expected.add({ name: take.pool, until: take.period?.to ?? taken.now + REMEMBERED });
      return taken;
    }, !isRunRecord(take.pool));
  change: Store["change"] = (pool, change, within) =>
    this.#use(async (store) => {
      // Whoever draws from a pool joins it first, and that may make a record.
      if (change.kind === "join" && isOfPeriod(pool)) await this.#lookForLost(store);
      return store.change(pool, change, within);
    }, !isRunRecord(pool));
  read: Store["read"] = (pool) => this.#use((store) => store.read(pool));
  look: Store["look"] = (pool) => this.#use((store) => store.look(pool), !isRunRecord(pool));
  delete: Store["delete"] = (pool) => this.#use((store) => store.delete(pool), !isRunRecord(pool));
  list: Store["list"] = () => this.#use((store) => store.list());
  runs: Store["runs"] = () => this.#use((store) => store.runs(), false);
  grants: Store["grants"] = () => this.#use((store) => store.grants(), false);
  remember: Store["remember"] = (run) => this.#use((store) => store.remember(run), false);
  pastRuns: Store["pastRuns"] = (agent) => this.#use((store) => store.pastRuns(agent), false);
  now: Store["now"] = () => this.#use((store) => store.now(), false);

  /** The person knows that what was in the store is lost. Another one takes its place. */
  acceptLoss(): void {
    if (this.#loss) this.#expected.remove();
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    this.#isMarked = false;
    await store?.close();
  }

  // Rejects where the store cannot be used. `isKept`: what is in it must be in it later, too. Runs come and go.
  async #use<T>(work: (store: Store) => Promise<T>, isKept = true): Promise<T> {
    const loss = this.#loss;
    if (loss) {
      await this.close();
      throw new Error(`${this.file} ${loss}. To start from nothing, delete ${this.#expected.file}.`);
    }
    sqlite ??= await import("../core-sqlite.ts");
    const { sqliteStore, isUnusableFile } = sqlite;
    this.#store ??= sqliteStore(this.file);
    try {
      const result = await work(this.#store);
      if (isKept) this.#expectStore();
      return result;
    } catch (error) {
      if (!isUnusableFile(error)) throw error;
      // What the person is told to do has to be enough.
      await this.close();
      this.#expected.remove();
      throw new Error(`${this.file} ${error.what}. To start from nothing, move it away.`, { cause: error });
    }
  }

  async #lookForLost(store: Store): Promise<void> {
    const names = this.#expected.namesAt(await store.now());
    if (names.length === 0 || this.#lost.length > 0) return;
    const found = new Set(await store.list());
    this.#lost = names.filter((name) => !found.has(name));
  }

  // Once, before something begins, as a store that has lost its last writes does it.
  #reportLost(): void {
    if (this.#lost.length === 0) return;
    this.#expected.forget(this.#lost);
    this.#lost = [];
    const why = "it was deleted there, or the file was replaced by an older copy";
    throw new Error(
      `${this.file} has lost what was used so far: ${why}. The next prompt goes on from what is there now.`,
    );
  }

  /** What has become of the store that there was, if what was in it is lost. */
  get #loss(): "was deleted" | "was emptied" | undefined {
    const size = this.#size;
    if (size || !this.#expected.exists) return undefined;
    return size === undefined ? "was deleted" : "was emptied";
  }

  get #size(): number | undefined {
    return statSync(this.file, { throwIfNoEntry: false })?.size;
  }

  // Once something is in the file, that there was one is known.
  #expectStore(): void {
    if (this.#isMarked || !this.#size) return;
    this.#isMarked = true;
    this.#expected.make();
  }
}
