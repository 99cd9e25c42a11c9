const NONE = Buffer.alloc(0);

/**
 * Bytes that arrive one chunk after the other, kept in one place. Adding many small chunks stays cheap. A chunk that comes
 * alone is not copied, and never changed: others may still need it.
 */
export class GrowingBytes {
  #buffer: Buffer = NONE;
  #length = 0;
  // Are the bytes those of a chunk, which are not to be changed?
  #isChunk = false;

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
    // A small part would keep all of its chunk in memory.
    const isWhole = chunk.buffer.byteLength <= 2 * length;
    if (isWhole && this.#length === 0 && length > this.#buffer.length) {
      this.#buffer = Buffer.from(chunk.buffer, chunk.byteOffset, length);
      this.#length = length;
      this.#isChunk = true;
      return;
    }
    if (length > this.#buffer.length || this.#isChunk) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      larger.set(this.bytes);
      this.#buffer = larger;
      this.#isChunk = false;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }

  /** Forgets the first bytes. */
  drop(count: number): void {
    if (count === 0) return;
    if (this.#isChunk) this.#buffer = this.#buffer.subarray(count);
    else this.#buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
  }

  /** Forgets everything, and gives the memory back. */
  clear(): void {
    this.#buffer = NONE;
    this.#length = 0;
    this.#isChunk = false;
  }
}
