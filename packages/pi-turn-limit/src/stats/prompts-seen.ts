const FEWEST_SLOTS = 1024;

/**
 * Remembers which prompts were there, in 16 to 32 bytes each. A fork repeats the entries it copies with
 * their ids and times; an id alone is only unique within its session.
 */
export class PromptsSeen {
  #slots = new Float64Array(FEWEST_SLOTS);
  #size = 0;

  /** Adds a prompt. Was it new? */
  add(id: string, savedAt: number): boolean {
    const slot = this.#slotOf(fingerprint(`${id} ${savedAt}`));
    if (this.#slots[slot.index] !== 0) return false;
    this.#slots[slot.index] = slot.key;
    this.#size += 1;
    if (this.#size * 2 > this.#slots.length) this.#grow();
    return true;
  }

  #slotOf(key: number): { index: number; key: number } {
    const { length } = this.#slots;
    let index = key % length;
    while (this.#slots[index] !== 0 && this.#slots[index] !== key) index = (index + 1) % length;
    return { index, key };
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Float64Array(old.length * 2);
    for (const key of old) if (key !== 0) this.#slots[this.#slotOf(key).index] = key;
  }
}

/** A number from 1 to 2^53 - 1: two 32-bit hashes, of which the second gives 21 bits. */
function fingerprint(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x5bd1e995);
    high ^= high >>> 15;
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0) || 1;
}
