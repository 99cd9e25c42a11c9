/** The files that an agent works on. Looking at them changes nothing. */
export interface Tree {
  /** What is in those that may differ from what they were at first. Others are as they were, or are not there. */
  look(signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
}

/** What is in the files of a tree, turn by turn. */
export class TreeHistory {
  /** What each file ever had in it. */
  readonly #seen = new Map<string, Set<string>>();
  #now: ReadonlyMap<string, string> | undefined;
  /** The files that have what they never had before, and since which turn. */
  readonly #new = new Map<string, number>();

  /** The files are like this before this turn. */
  add(contents: ReadonlyMap<string, string>, turn: number): void {
    const before = this.#now;
    this.#now = contents;
    for (const path of new Set([...(before?.keys() ?? []), ...contents.keys()])) {
      const id = contents.get(path);
      if (before && before.get(path) === id) continue;
      // What a file had at first is not known by its id, and neither is that it is gone: both are nothing new.
      const isNew = id !== undefined && !this.#seen.get(path)?.has(id);
      if (isNew && before) this.#new.set(path, turn);
      else this.#new.delete(path);
      if (id !== undefined) this.#seen.set(path, (this.#seen.get(path) ?? new Set()).add(id));
    }
  }

  /** How many files have what they never had before, since after this turn. */
  changedAfter(turn: number): number {
    return [...this.#new.values()].filter((since) => since > turn).length;
  }
}
