/** A tool call that was made, or refused. */
interface Made {
  call: string;
  /** `undefined` as long as it has none. */
  result: string | undefined;
  refused: boolean;
}

const LONGEST_CYCLE = 16;

/** The calls of a run in a row, restated without any cleverness: how often was the same one made, with the same result? */
export class Row {
  readonly #max: number;
  #made: Made[] = [];
  #underWay: Made[] = [];
  #refusedSince: "never" | "this turn" | "an earlier turn" = "never";
  /** Has the model made a call again, after it was told in an earlier turn that it must not? */
  exceeded = false;
  used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** May the call be made? It is told apart from others by nothing else than its text. */
  covers(call: string): boolean {
    const times = this.#underWay.some((other) => other.call !== call) ? 0 : this.#times(call);
    if (times < this.#max) {
      this.#refusedSince = "never";
      this.#underWay.push({ call, result: undefined, refused: false });
      return true;
    }
    this.used = times;
    if (this.#refusedSince === "an earlier turn") this.exceeded = true;
    else this.#refusedSince = "this turn";
    this.#made.push({ call, result: this.#resultOf(call, times), refused: true });
    return false;
  }

  /** The n-th of the calls that are under way has a result. They stand in the row in the order in which they began. */
  ended(nth: number, result: string): void {
    const call = this.#underWay[nth];
    if (call) call.result = result;
  }

  /** A call without a result is like no other. */
  turnBegins(): void {
    this.#made.push(...this.#underWay);
    this.#underWay = [];
    if (this.#refusedSince === "this turn") this.#refusedSince = "an earlier turn";
  }

  startOver(): void {
    this.#made = [];
    this.#underWay = [];
    this.#refusedSince = "never";
    this.exceeded = false;
    this.used = 0;
  }

  #times(call: string): number {
    return Math.max(0, ...this.#cycles(call).map((cycle) => this.#timesRound(cycle)));
  }

  #resultOf(call: string, times: number): string | undefined {
    const cycle = this.#cycles(call).find((length) => this.#timesRound(length) === times);
    return cycle === undefined ? undefined : this.#made.at(-cycle)?.result;
  }

  /** How long the cycles can be of which this call would be the next. */
  #cycles(call: string): number[] {
    const lengths = Array.from({ length: LONGEST_CYCLE }, (_, index) => index + 1);
    return lengths.filter((length) => {
      const before = this.#made.at(-length);
      return (
        this.#made.length >= length &&
        before?.call === call &&
        (before.refused || before.result !== undefined)
      );
    });
  }

  /** How often a cycle went round: the calls at the end that are the same as those one cycle before them, and the first. */
  #timesRound(cycle: number): number {
    let same = 0;
    for (let index = this.#made.length - 1; index >= cycle; index -= 1) {
      const one = this.#made[index] as Made;
      const before = this.#made[index - cycle] as Made;
      if (one.refused) continue;
      if (one.result === undefined || one.call !== before.call || one.result !== before.result) break;
      same += 1;
    }
    return Math.floor(same / cycle) + 1;
  }
}
