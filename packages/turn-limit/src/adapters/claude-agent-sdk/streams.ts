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

/** Hands each item to `see` as soon as it comes. What `see` returns is read from here at the reader's pace. */
export function readAhead<T, U>(
  source: AsyncIterable<T>,
  see: (item: T) => U | undefined,
): AsyncGenerator<U, void> {
  const ready: U[] = [];
  let wake = () => {};
  let over = false;

  async function pump(): Promise<void> {
    try {
      for await (const item of source) {
        const seen = see(item);
        if (seen !== undefined) ready.push(seen);
        wake();
      }
    } finally {
      over = true;
      wake();
    }
  }

  const pumped = pump();
  pumped.catch(() => {}); // The reader gets the error.
  async function* read(): AsyncGenerator<U, void> {
    for (;;) {
      for (let item = ready.shift(); item !== undefined; item = ready.shift()) yield item;
      if (over) return await pumped;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return read();
}
