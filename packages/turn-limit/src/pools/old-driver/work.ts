/** The work of a run in the middle of a turn, and how it is cut off. */
export class Work {
  readonly #abort = new AbortController();
  readonly #calls = new Set<(reason: string) => void>();

  /** Aborted when the run must end in the middle of a request. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Are tool calls under way, so that the run can go on without their results? */
  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  /** The result of a tool call, or why it was cut off. */
  call<Result>(result: PromiseLike<Result> | Result): Promise<Executed<Result>> {
    return new Promise((resolve, reject) => {
      const cut = (reason: string) => {
        this.#calls.delete(cut);
        resolve({ kind: "cut-off", reason });
      };
      this.#calls.add(cut);
      Promise.resolve(result).then(
        (result) => {
          this.#calls.delete(cut);
          resolve({ kind: "result", result });
        },
        (error) => {
          this.#calls.delete(cut);
          reject(error);
        },
      );
    });
  }

  /** Cuts off the tool calls that are under way; if there are none, it is a request, and the run is aborted. */
  cutOff(reason: string): void {
    if (!this.hasCalls) this.abort(reason);
    for (const cut of this.#calls) cut(reason);
  }

  abort(reason: string): void {
    this.#abort.abort(new Error(reason));
  }
}

/** What came of a tool call: its result, or why it was cut off before it had one. */
export type Executed<Result> = { kind: "result"; result: Result } | { kind: "cut-off"; reason: string };
