import { type Amounts, add, amounts } from "./ledger/amounts.ts";
import type { Take, Taken } from "./ledger/store.ts";
import { isCounted } from "./units.ts";

/** What one member has settled with its pool, and by that what it still has to settle or give back. */
export class Journal {
  /** What is settled in the record of this period. */
  #settled: Record<string, number>;
  /** What of that earlier incarnations settled. */
  #before: Record<string, number>;
  /** What is settled in the records of earlier periods. */
  readonly #earlier = amounts();
  /** What was granted and is not given back: turns and calls. */
  readonly #counted = amounts();

  /** `settled`: what was settled before, by the same member. */
  constructor(settled: Amounts = {}) {
    this.#settled = amounts(settled);
    this.#before = amounts(settled);
  }

  get settled(): Amounts {
    return this.#settled;
  }

  /** What earlier incarnations settled in this record. */
  get before(): Amounts {
    return this.#before;
  }

  /**
   * What this incarnation used in this record, and was granted. `used`: everything that was measured so far, rounded as a
   * whole, so that nothing is lost between many small amounts.
   */
  used(used: Amounts): Amounts {
    const all = this.unsettled(used);
    add(all, this.#settled);
    add(all, this.#before, -1);
    return all;
  }

  /** What the pool does not know yet. Negative: what it granted and nobody uses. */
  unsettled(used: Amounts): Record<string, number> {
    const unsettled = amounts(this.#counted);
    add(unsettled, used);
    add(unsettled, this.#earlier, -1);
    add(unsettled, this.#settled, -1);
    // What is no longer measured stays as it was settled.
    for (const measure of Object.keys(unsettled))
      if (!isCounted(measure) && !Object.hasOwn(used, measure)) delete unsettled[measure];
    return unsettled;
  }

  /** The store has done this request. */
  done({ used, want }: Pick<Take, "used" | "want">, { kind }: Pick<Taken, "kind">): void {
    this.#settled = amounts(this.#before);
    add(this.#settled, used);
    if (kind === "granted" && want) add(this.#settled, want);
  }

  /** Another member has settled this. */
  settledByAnother(used: Amounts): void {
    add(this.#settled, used);
    add(this.#before, used);
  }

  /** The member uses what it was granted. */
  use(granted: Amounts): void {
    add(this.#counted, granted);
  }

  /** The member does not use what it was granted in this period. */
  release(granted: Amounts): void {
    add(this.#counted, granted, -1);
  }

  /** What is used from now on is settled by another incarnation. */
  nextIncarnation(): void {
    this.#before = amounts(this.#settled);
  }

  /** What is used from now on is settled in another record. */
  nextPeriod(): void {
    add(this.#earlier, this.#settled);
    this.#settled = amounts();
    this.#before = amounts();
  }
}
