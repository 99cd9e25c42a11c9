/** Sees each item of a source as soon as it comes, and hands on what was made of it at the reader's pace. */
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
  pumped.catch(() => {}); // the reader gets it
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
