/** Learns from the graph steps of an agent what else runs in its loop: each hook of other middleware is a step. */
export class GraphOrder {
  #model: number | undefined;
  #calls: number | undefined;
  #fromModelToCalls: number | undefined;
  #fromCallsToModel = 1;

  /** A request is made in this step. */
  modelAt(step: number | undefined): void {
    if (step !== undefined && this.#calls !== undefined) this.#fromCallsToModel = step - this.#calls;
    this.#model = step;
    this.#calls = undefined;
  }

  /** Tools are called in this step. */
  callsAt(step: number | undefined): void {
    if (step !== undefined && this.#model !== undefined) this.#fromModelToCalls = step - this.#model;
    this.#calls = step;
  }

  /** Do hooks run between a request and its tool calls? `undefined` before the first call. */
  get hooksFollowModel(): boolean | undefined {
    return this.#fromModelToCalls === undefined ? undefined : this.#fromModelToCalls > 1;
  }

  /** How many steps it takes at least, after tool calls, to make another request and end the run. */
  get fromCallsToEnd(): number {
    // What follows a request comes before the tool calls, and before the end.
    return this.#fromCallsToModel + (this.#fromModelToCalls ?? 1);
  }
}
