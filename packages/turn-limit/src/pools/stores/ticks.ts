/** In place of a result: this item alone is refused. */
export class Refused {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/**
 * Does together what is asked for in one tick: everything that comes before the program waits again. Nothing is kept back for
 * longer, so that a lone request goes at once.
 */
export class Ticks<Item, Result> {
  readonly #doAll: DoAll<Item, Result>;
  readonly #most: number;
  readonly #waiting = new Map<string, Entry<Item, Result>[]>();

  /** `doAll` gets at most so many items at once, and has one result for each. */
  constructor(doAll: DoAll<Item, Result>, most: number) {
    this.#doAll = doAll;
    this.#most = most;
  }

  /** Items of the same key are done together. */
  add(key: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const entry = { item, resolve, reject };
      const waiting = this.#waiting.get(key);
      if (waiting && waiting.length < this.#most) return void waiting.push(entry);
      const entries = [entry];
      this.#waiting.set(key, entries);
      // After all that goes on now, and before anything that the program waits for.
      process.nextTick(() => {
        if (this.#waiting.get(key) === entries) this.#waiting.delete(key);
        this.#run(entries);
      });
    });
  }

  #run(entries: readonly Entry<Item, Result>[]): void {
    const refuse = (error: unknown) => {
      for (const { reject } of entries) reject(error);
    };
    try {
      const results = this.#doAll(entries.map(({ item }) => item));
      if (results instanceof Promise) results.then((found) => answer(entries, found)).catch(refuse);
      else answer(entries, results);
    } catch (error) {
      refuse(error);
    }
  }
}

function answer<Item, Result>(
  entries: readonly Entry<Item, Result>[],
  results: readonly (Result | Refused)[],
): void {
  for (const [place, { resolve, reject }] of entries.entries()) {
    const result = results[place] as Result | Refused;
    if (result instanceof Refused) reject(result.error);
    else resolve(result);
  }
}

type Results<Result> = readonly (Result | Refused)[];

/** At once if it can, for then nobody waits for another turn of the program. */
type DoAll<Item, Result> = (items: readonly Item[]) => Results<Result> | Promise<Results<Result>>;

interface Entry<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}
