/** Lets one thing happen at a time; the others wait for their turn. */
export class OneAtATime {
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** Does nothing happen, or wait to? */
  get isFree(): boolean {
    return this.#waiting === 0;
  }

  do<Result>(what: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    const result = this.#last.then(what).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}
