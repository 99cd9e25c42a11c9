/** What a run is doing in the middle of a turn, and how that is cut off. */
export class WorkUnderWay {
  readonly #abort = new AbortController();
  readonly #calls = new Set<(reason: string) => void>();

  /** Aborted when nothing less will do. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Are tool calls under way, so that the run can go on without their results? */
  get canBeCut(): boolean {
    return this.#calls.size > 0;
  }

  /** The result of a tool call, or the reason why it was cut off. */
  async bounded<Result>(result: PromiseLike<Result> | Result): Promise<Result | string> {
    let cut = (_reason: string) => {};
    const reason = new Promise<string>((resolve) => {
      cut = resolve;
    });
    this.#calls.add(cut);
    try {
      return await Promise.race([result, reason]);
    } finally {
      this.#calls.delete(cut);
    }
  }

  /** Cuts off the tool calls that are under way; if there are none, it is a request, and the run is aborted. */
  cut(reason: string): void {
    if (!this.canBeCut) this.abort(reason);
    for (const cut of this.#calls) cut(reason);
  }

  abort(reason: string): void {
    this.#abort.abort(new Error(reason));
  }
}
