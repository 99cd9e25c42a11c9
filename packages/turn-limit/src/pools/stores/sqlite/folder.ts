import { closeSync, fstatSync, openSync } from "node:fs";

/** How many milliseconds coarser the clock of a file system may be than ours. */
const COARSEST = 2_000;
/** How many milliseconds a look is good: the folder itself may be moved, which does not change it. */
const GOOD_FOR = 10;

/**
 * Tells whether files in a folder may have been made, removed or renamed since somebody looked at them. To ask that takes
 * much less time than to look at two files.
 */
export class Folder {
  #open: number | undefined;
  /** When it was last changed, by the last look; `undefined` if it may have been changed since without being told apart. */
  #changed: number | undefined;
  #looked = -Infinity;

  constructor(path: string) {
    try {
      this.#open = openSync(path, "r");
    } catch {
      // Not every system opens folders. Then files are looked at each time.
    }
  }

  /** Does nothing if nothing can have changed, and else looks at the files. What `look` throws shows that they changed. */
  lookIfChanged(look: () => void): void {
    const [changed, now] = [this.#lastChange(), performance.now()];
    if (changed !== undefined && changed === this.#changed && now - this.#looked < GOOD_FOR) return;
    this.#changed = undefined;
    look();
    this.#looked = now;
    // What changes right after another change may have the same time.
    if (changed !== undefined && Date.now() - changed > COARSEST) this.#changed = changed;
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open);
    this.#open = undefined;
  }

  #lastChange(): number | undefined {
    try {
      return this.#open === undefined ? undefined : fstatSync(this.#open).mtimeMs;
    } catch {
      return undefined;
    }
  }
}
