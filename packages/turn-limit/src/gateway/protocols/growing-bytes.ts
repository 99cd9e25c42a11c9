const NONE = Buffer.alloc(0);

/** Bytes that arrive one chunk after the other, kept in one place. Adding many small chunks stays cheap. */
export class GrowingBytes {
  #buffer: Buffer = NONE;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What is kept. It holds until the next change. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** The byte at this index, counted from the end if it is negative. */
  at(index: number): number | undefined {
    const from = index < 0 ? index + this.#length : index;
    return from >= 0 && from < this.#length ? this.#buffer[from] : undefined;
  }

  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }

  /** Forgets the first bytes. */
  drop(count: number): void {
    this.#buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  /** Forgets everything. The memory is kept for what comes next. */
  empty(): void {
    this.#length = 0;
  }

  /** Forgets everything, and gives the memory back. */
  clear(): void {
    this.#buffer = NONE;
    this.#length = 0;
  }
}
