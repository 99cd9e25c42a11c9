/** What one prompt took. */
export interface PromptCost {
  turns: number;
  steps: number;
  tokens: number;
  cacheTokens: number;
  dollars: number;
}

export type Measure = keyof PromptCost;

const MEASURES: readonly Measure[] = ["turns", "steps", "tokens", "cacheTokens", "dollars"];
const FIRST_ROWS = 1024;

/** What every prompt took: a few numbers each, however long it was. */
export class PromptTable {
  #columns = columnsOf(FIRST_ROWS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(cost: PromptCost): void {
    if (this.#size === this.#columns.turns.length) this.#grow();
    for (const measure of MEASURES) this.#columns[measure][this.#size] = cost[measure];
    this.#size += 1;
  }

  column(measure: Measure): Float64Array {
    return this.#columns[measure].subarray(0, this.#size);
  }

  #grow(): void {
    const old = this.#columns;
    this.#columns = columnsOf(this.#size * 2);
    for (const measure of MEASURES) this.#columns[measure].set(old[measure]);
  }
}

function columnsOf(rows: number): Record<Measure, Float64Array> {
  return {
    turns: new Float64Array(rows),
    steps: new Float64Array(rows),
    tokens: new Float64Array(rows),
    cacheTokens: new Float64Array(rows),
    dollars: new Float64Array(rows),
  };
}
