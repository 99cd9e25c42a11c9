/** Calls that are decided and have not begun. The model's ids do not tell them apart: some models give the same to several. */
export class DecidedCalls<Decided> {
  #calls: { id: string | undefined; call: Decided }[] = [];

  add(id: string | undefined, call: Decided): void {
    this.#calls.push({ id, call });
  }

  /** The call with this id that begins: the first one that was decided. */
  take(id: string | undefined): Decided | undefined {
    const index = this.#calls.findIndex((decided) => decided.id === id);
    return index < 0 ? undefined : this.#calls.splice(index, 1)[0]?.call;
  }

  /** Those that have not begun. They are forgotten. */
  takeAll(): Decided[] {
    const calls = this.#calls.map(({ call }) => call);
    this.#calls = [];
    return calls;
  }
}
