/** Runs one piece of work after the other, in the order in which they came. One that fails does not stop the next. */
export class SerialQueue {
  #waiting = 0;
  #last: Promise<void> | undefined;

  /** Was it never used? */
  get isUnused(): boolean {
    return this.#last === undefined;
  }

  /** Is nothing under way, and nothing waiting? */
  get isFree(): boolean {
    return this.#waiting === 0;
  }

  add<Result>(work: () => Promise<Result>): Promise<Result> {
    const ended = () => {
      this.#waiting -= 1;
    };
    this.#waiting += 1;
    const result = (this.#last ?? Promise.resolve()).then(work);
    this.#last = result.then(ended, ended);
    return result;
  }

  /** Resolves when everything that was added by now has ended. */
  async done(): Promise<void> {
    await this.#last;
  }
}
