import { type Amounts, add, amounts } from "./ledger/amounts.ts";
import type { Take, Taken } from "./ledger/store.ts";
import { isCounted } from "./units.ts";

/** What one member has settled with its pool, and by that what it still has to settle or give back. */
export class Journal {
  /** What is settled in the record of this period. */
  #settled: Record<string, number>;
  /** What is settled in the records of earlier periods. */
  readonly #earlier = amounts();
  /** What was granted and is not given back: turns and calls. */
  readonly #counted = amounts();

  /** `settled`: what was settled before, by the same member. */
  constructor(settled: Amounts = {}) {
    this.#settled = amounts(settled);
  }

  get settled(): Amounts {
    return this.#settled;
  }

  /**
   * What the pool does not know yet. Negative: what it granted and nobody uses. `used`: everything that was measured so
   * far, rounded as a whole, so that nothing is lost between many small amounts.
   */
  unsettled(used: Amounts): Amounts {
    const unsettled = amounts(this.#counted);
    add(unsettled, used);
    add(unsettled, this.#earlier, -1);
    add(unsettled, this.#settled, -1);
    // What is no longer measured stays as it was settled.
    for (const measure of Object.keys(unsettled))
      if (!isCounted(measure) && !Object.hasOwn(used, measure)) delete unsettled[measure];
    return unsettled;
  }

  /** The store has executed this request, even if its answer was lost. */
  done({ settle, want }: Pick<Take, "settle" | "want">, { kind }: Pick<Taken, "kind">): void {
    if (kind === "stale") return;
    add(this.#settled, settle);
    if (kind === "granted" && want) add(this.#settled, want);
  }

  /** Another member has settled this. */
  settledByAnother(used: Amounts): void {
    add(this.#settled, used);
  }

  /** The member uses what it was granted. */
  use(granted: Amounts): void {
    add(this.#counted, granted);
  }

  /** The member does not use what it was granted in this period. */
  release(granted: Amounts): void {
    add(this.#counted, granted, -1);
  }

  /** What is used from now on is settled in another record. */
  nextPeriod(): void {
    add(this.#earlier, this.#settled);
    this.#settled = amounts();
  }
}
