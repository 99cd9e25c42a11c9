/** A source that can be ended from outside, also while it is being waited for. */
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
