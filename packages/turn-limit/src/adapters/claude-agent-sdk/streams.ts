/** A source that can be ended from outside, also while a reader waits for it. */
export function closable<T>(source: AsyncIterable<T>): { source: AsyncIterable<T>; close(): void } {
  const items = source[Symbol.asyncIterator]();
  let close = () => {};
  const closed = new Promise<IteratorResult<T>>((resolve) => {
    close = () => resolve({ done: true, value: undefined });
  });
  async function* read(): AsyncGenerator<T, void> {
    for (;;) {
      const next = await Promise.race([items.next(), closed]);
      if (next.done) return;
      yield next.value;
    }
  }
  return { source: read(), close };
}

/** What is put here at any time is read from here at the reader's pace. */
export class Outbox<T> {
  readonly #ready: T[] = [];
  #wake = () => {};

  readonly put = (item: T): void => {
    this.#ready.push(item);
    this.#wake();
  };

  /** Everything until the work is over, and then what the work threw. */
  async *readUntil(work: Promise<void>): AsyncGenerator<T, void> {
    let over = false;
    const end = () => {
      over = true;
      this.#wake();
    };
    work.then(end, end);
    for (;;) {
      for (let item = this.#ready.shift(); item !== undefined; item = this.#ready.shift()) yield item;
      if (over) return await work;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
