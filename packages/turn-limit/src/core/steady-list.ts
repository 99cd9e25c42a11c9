/**
 * A list of the few things that are under way, in the order in which they began: usually one, in every turn. It never gives
 * back its memory, because an array that shrinks and grows again is made anew each time.
 */
export class SteadyList<Item> {
  readonly #items: (Item | undefined)[];
  #length: number;

  constructor(items: readonly Item[] = []) {
    this.#items = [...items];
    this.#length = items.length;
  }

  get length(): number {
    return this.#length;
  }

  at(place: number): Item | undefined {
    return place < this.#length ? this.#items[place] : undefined;
  }

  add(item: Item): void {
    this.#items[this.#length] = item;
    this.#length += 1;
  }

  /** Removes the item at this place, if there is one. */
  take(place: number): Item | undefined {
    if (place < 0 || place >= this.#length) return undefined;
    const item = this.#items[place];
    this.#length -= 1;
    for (let next = place; next < this.#length; next += 1) this.#items[next] = this.#items[next + 1];
    this.#items[this.#length] = undefined;
    return item;
  }

  clear(): void {
    while (this.#length > 0) {
      this.#length -= 1;
      this.#items[this.#length] = undefined;
    }
  }

  toArray(): Item[] {
    return this.#items.slice(0, this.#length) as Item[];
  }
}
