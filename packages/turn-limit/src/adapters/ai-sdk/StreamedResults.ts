/** The results of a tool call that come one after the other. The last one counts. */
export class StreamedResults {
  readonly #results: AsyncIterator<unknown>;
  /** The one that counts, once all have been passed on. */
  readonly last: Promise<unknown>;
  #resolve: (last: unknown) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(results: AsyncIterable<unknown>) {
    this.#results = results[Symbol.asyncIterator]();
    this.last = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Passes the results on, unless the call that they belong to is over before they are complete. */
  async *passedOn(call: Promise<unknown>): AsyncGenerator<unknown> {
    const over = call.then((value) => ({ done: true, value }));
    over.catch(() => {});
    let last: unknown;
    let complete = false;
    try {
      for (;;) {
        const { done, value } = await Promise.race([this.#results.next(), over]);
        complete = done === true;
        if (complete) break;
        last = value;
        yield value;
      }
      this.#resolve(last);
      await call;
    } catch (error) {
      this.#reject(error);
      throw error;
    } finally {
      this.#resolve(last);
      if (!complete) this.#results.return?.().catch(() => {});
    }
  }
}

/** Does a tool that returned this stream its results? */
export function isStreamed(output: unknown): output is AsyncIterable<unknown> {
  return typeof output === "object" && output !== null && Symbol.asyncIterator in output;
}
