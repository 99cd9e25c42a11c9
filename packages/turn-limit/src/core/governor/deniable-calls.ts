import type { Deniable } from "./run-state.ts";

/**
 * The tool of each call that was admitted and has no result, by its id. Usually it is one, in every turn, which is not put
 * into the map: a map that gains and loses an entry in every turn is made anew time and again.
 */
export class DeniableCalls {
  /** The others, if there ever were any. */
  #earlier: Map<string, Deniable> | undefined;
  #id: string | undefined;
  #latest: Deniable | undefined;

  constructor(saved: readonly (readonly [id: string, call: Deniable])[]) {
    if (saved.length > 0) this.#earlier = new Map(saved);
  }

  /** A call was admitted under an id that no other has. */
  add(id: string, call: Deniable): void {
    if (this.#id !== undefined && this.#latest) {
      this.#earlier ??= new Map();
      this.#earlier.set(this.#id, this.#latest);
    }
    this.#id = id;
    this.#latest = call;
  }

  /** The call with this id, which can be denied no more. */
  take(id: string): Deniable | undefined {
    if (id !== this.#id) {
      const call = this.#earlier?.get(id);
      if (call) this.#earlier?.delete(id);
      return call;
    }
    const call = this.#latest;
    this.#id = this.#latest = undefined;
    return call;
  }

  clear(): void {
    this.#earlier = undefined;
    this.#id = this.#latest = undefined;
  }

  toState(): [id: string, call: Deniable][] {
    const earlier = [...(this.#earlier ?? [])];
    return this.#id !== undefined && this.#latest ? [...earlier, [this.#id, this.#latest]] : earlier;
  }
}
