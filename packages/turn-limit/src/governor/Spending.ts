import { type Activity, counts } from "./counting.ts";
import { callsOf, exact, nothingSpent, type Spent } from "./Spent.ts";
import type { Usage } from "./Usage.ts";

/** Everything a {@link Spending} knows, as plain data. */
export interface SpendingState {
  spent: Spent;
  /** Was something spent whose price nobody knows? */
  unpriced: boolean;
  /** The time that was said last. */
  now: number | null;
}

/** Adds up what is spent since the last prompt, as far as the counting policy says. */
export class Spending {
  #spent: Spent = nothingSpent();
  #unpriced = false;
  #now: number | null = null;

  static from({ spent, unpriced, now }: SpendingState): Spending {
    const spending = new Spending();
    spending.#spent = { ...spent };
    spending.#unpriced = unpriced;
    spending.#now = now;
    return spending;
  }

  get spent(): Spent {
    return this.#spent;
  }

  get unpriced(): boolean {
    return this.#unpriced;
  }

  /** Has anybody said what time it is? */
  get knowsTime(): boolean {
    return this.#now !== null;
  }

  /** A turn began. */
  turn(): void {
    this.#spent.turns += 1;
  }

  /** A tool call was admitted, or not. */
  call(activity: Activity, tool: string | undefined): void {
    if (counts(activity, "steps")) this.#spent.steps += 1;
    if (tool === undefined || !counts(activity, "tools")) return;
    this.#spent.calls = { ...this.#spent.calls, [tool]: callsOf(this.#spent, tool) + 1 };
  }

  /** A model answered. */
  answer(activity: Activity, { input, output, cacheRead = 0, cacheWrite = 0, cost }: Usage): void {
    const spent = this.#spent;
    if (counts(activity, "tokens")) {
      spent.input += input;
      spent.output += output;
      spent.cacheRead += cacheRead;
      spent.cacheWrite += cacheWrite;
    }
    if (!counts(activity, "cost")) return;
    if (cost !== undefined) spent.cost = exact(spent.cost + cost);
    else if (input + output + cacheRead + cacheWrite > 0) this.#unpriced = true;
  }

  /** Something will be spent whose price nobody knows. */
  priceUnknown(): void {
    this.#unpriced = true;
  }

  /** It is `now`. How much time was spent since it was last said, in what the run does? */
  timeIs(now: number, activity: Activity | undefined): number {
    // A clock that is set back takes nothing back.
    const passed = this.#now === null ? 0 : Math.max(0, now - this.#now);
    this.#now = now;
    if (!activity || !counts(activity, "time")) return 0;
    this.#spent.time += passed;
    return passed;
  }

  restart(): void {
    this.#spent = nothingSpent();
    this.#unpriced = false;
  }

  toJSON(): SpendingState {
    return { spent: { ...this.#spent }, unpriced: this.#unpriced, now: this.#now };
  }
}
